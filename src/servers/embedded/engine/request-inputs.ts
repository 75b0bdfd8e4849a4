import type { InferRequest } from '../../../kserve/server.ts';
import { readText } from '../../../kserve/tensors.ts';
import { invalidArgument } from './status-errors.ts';

/** The requested outputs in addition to the text. */
export interface RequestedOutputs {
  readonly finishReason: boolean;
  readonly cumulativeLogprob: boolean;
  readonly logprobs: boolean;
  readonly inputTokens: boolean;
  readonly outputTokens: boolean;
}

/** The decoded tensors of a request. */
export interface RequestInputs {
  readonly prompt: string | undefined;
  readonly isStreamed: boolean;
  /** Whether the output starts with the prompt. */
  readonly echoesPrompt: boolean;
  readonly sampling: string | undefined;
  readonly embedding: string | undefined;
  readonly returns: RequestedOutputs;
}

/** Decodes the tensors of a request that matches the configuration. */
export function readInputs(request: InferRequest): RequestInputs {
  const data = (name: string): Buffer | undefined => request.inputs.find((input) => input.name === name)?.data;
  const text = (name: string): string | undefined => {
    const bytes = data(name);
    return bytes === undefined ? undefined : readText(bytes);
  };
  const flag = (name: string, otherwise: boolean): boolean => (data(name)?.[0] ?? Number(otherwise)) !== 0;
  if (data('image')?.length) throw invalidArgument(`Model ${request.model} does not support images.`);
  const isStreamed = flag('stream', false);
  const echoesPrompt = !flag('exclude_input_in_output', isStreamed);
  if (isStreamed && echoesPrompt)
    throw invalidArgument('When streaming, `exclude_input_in_output` = False is not allowed.');
  return {
    prompt: text('text_input'),
    isStreamed,
    echoesPrompt,
    sampling: text('sampling_parameters'),
    embedding: text('embedding_request'),
    returns: {
      finishReason: flag('return_finish_reason', false),
      cumulativeLogprob: flag('return_cumulative_logprob', false),
      logprobs: flag('return_logprobs', false),
      inputTokens: flag('return_num_input_tokens', false),
      outputTokens: flag('return_num_output_tokens', false),
    },
  };
}
