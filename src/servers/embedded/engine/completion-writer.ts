import { LocalResponse } from '../../../kserve/local-response.ts';
import type { InferRequest } from '../../../kserve/server.ts';
import { type Tensor, textTensor } from '../../../kserve/tensors.ts';
import type { RequestedOutputs } from './request-inputs.ts';

/** The part of a completion in one response. */
export interface CompletionPart {
  readonly text: string;
  readonly tokens: number;
  /** Set on the last part. */
  readonly finish: 'stop' | 'length' | undefined;
  /** NaN if no logprobs were requested, as recorded from the vLLM backend. */
  readonly cumulativeLogprob: number;
  /** One entry per token; undefined if none were requested. */
  readonly logprobs: readonly string[] | undefined;
}

interface WriterOptions {
  readonly request: InferRequest;
  readonly version: string;
  readonly returns: RequestedOutputs;
  readonly inputTokens: number;
}

/** The vLLM backend writes Python's None while a generation continues. */
const unfinished = textTensor('finish_reason', ['None']);

/** Writes the parts of one completion exactly like the vLLM backend, including the shape of each count. */
export class CompletionWriter {
  readonly #options: WriterOptions;
  readonly #inputTokens: Tensor;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#inputTokens = uint32('num_input_tokens', options.inputTokens, []);
  }

  write({ text, tokens, finish, cumulativeLogprob, logprobs }: CompletionPart): LocalResponse {
    const { returns } = this.#options;
    const outputs = [textTensor('text_output', [text])];
    if (returns.finishReason) outputs.push(finish === undefined ? unfinished : textTensor('finish_reason', [finish]));
    if (returns.cumulativeLogprob) outputs.push(float('cumulative_logprob', cumulativeLogprob));
    if (returns.logprobs) outputs.push(textTensor('logprobs', [logprobs ? `[${logprobs.join(', ')}]` : 'null']));
    if (returns.inputTokens) outputs.push(this.#inputTokens);
    if (returns.outputTokens) outputs.push(uint32('num_output_tokens', tokens, [1]));
    return this.#response(outputs, finish !== undefined);
  }

  /** The single response to an embedding request. */
  writeVector(vector: readonly number[]): LocalResponse {
    const { returns } = this.#options;
    const outputs = [textTensor('text_output', [JSON.stringify(vector)])];
    if (returns.inputTokens) outputs.push(this.#inputTokens);
    if (returns.outputTokens) outputs.push(uint32('num_output_tokens', 0, []));
    return this.#response(outputs, true);
  }

  #response(all: readonly Tensor[], final: boolean): LocalResponse {
    const { request, version } = this.#options;
    const requested = request.outputs;
    const outputs = requested?.length ? all.filter(({ name }) => requested.includes(name)) : all;
    return new LocalResponse({ model: request.model, version, id: request.id, outputs, final });
  }
}

function uint32(name: string, value: number, shape: readonly number[]): Tensor {
  const data = Buffer.allocUnsafe(4);
  data.writeUInt32LE(value);
  return { name, datatype: 'UINT32', shape, data };
}

function float(name: string, value: number): Tensor {
  const data = Buffer.allocUnsafe(4);
  data.writeFloatLE(value);
  return { name, datatype: 'FP32', shape: [1], data };
}
