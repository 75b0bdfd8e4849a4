import { LocalResponse } from '../../../kserve/local-response.ts';
import type { InferRequest } from '../../../kserve/server.ts';
import { type Tensor, textTensor } from '../../../kserve/tensors.ts';
import type { Returns } from './request-inputs.ts';

/** One response's worth of an answer. */
export interface AnswerPart {
  readonly text: string;
  readonly tokens: number;
  /** Set on the last part. */
  readonly finish: 'stop' | 'length' | undefined;
  /** Not a number where no logprobs were asked for, as recorded. */
  readonly cumulativeLogprob: number;
  /** One entry per token; undefined where none were asked for. */
  readonly logprobs: readonly string[] | undefined;
}

interface WriterOptions {
  readonly request: InferRequest;
  readonly version: string;
  readonly returns: Returns;
  readonly inputTokens: number;
}

/** The vLLM backend writes Python's None where a generation goes on. */
const unfinished = textTensor('finish_reason', ['None']);

/** Writes the parts of one answer as the vLLM backend does, down to the shape of each count. */
export class AnswerWriter {
  readonly #options: WriterOptions;
  readonly #inputTokens: Tensor;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#inputTokens = uint32('num_input_tokens', options.inputTokens, []);
  }

  write({ text, tokens, finish, cumulativeLogprob, logprobs }: AnswerPart): LocalResponse {
    const { returns } = this.#options;
    const outputs = [textTensor('text_output', [text])];
    if (returns.finishReason) outputs.push(finish === undefined ? unfinished : textTensor('finish_reason', [finish]));
    if (returns.cumulativeLogprob) outputs.push(float('cumulative_logprob', cumulativeLogprob));
    if (returns.logprobs) outputs.push(textTensor('logprobs', [logprobs ? `[${logprobs.join(', ')}]` : 'null']));
    if (returns.inputTokens) outputs.push(this.#inputTokens);
    if (returns.outputTokens) outputs.push(uint32('num_output_tokens', tokens, [1]));
    return this.#response(outputs, finish !== undefined);
  }

  /** The one response to an embedding request. */
  writeVector(vector: readonly number[]): LocalResponse {
    const { returns } = this.#options;
    const outputs = [textTensor('text_output', [JSON.stringify(vector)])];
    if (returns.inputTokens) outputs.push(this.#inputTokens);
    if (returns.outputTokens) outputs.push(uint32('num_output_tokens', 0, []));
    return this.#response(outputs, true);
  }

  #response(all: readonly Tensor[], final: boolean): LocalResponse {
    const { request, version } = this.#options;
    const wanted = request.outputs;
    const outputs = wanted?.length ? all.filter(({ name }) => wanted.includes(name)) : all;
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
