import { ApiError } from '../errors.ts';
import type { InferResponse } from '../kserve/server.ts';
import { readNumber } from '../kserve/tensors.ts';
import { AccumulatedText } from './accumulated-text.ts';
import type { FinishReason, GenerateDecoder, GenerateSink } from './contract.ts';

/** Reads the responses of one request to a model on TensorRT-LLM's LLM API: each carries all text so far. */
export class LlmapiDecoder implements GenerateDecoder {
  readonly #text = new AccumulatedText();
  /** Present where the request includes the reuse of the cache. */
  readonly #blockSize: number | undefined;
  #reusedBlocks: number | undefined;
  #isFinished = false;

  constructor(blockSize: number | undefined) {
    this.#blockSize = blockSize;
  }

  push(response: InferResponse, sink: GenerateSink): void {
    if (this.#isFinished) return;
    const text = response.text('text_output');
    // The number of tokens of a response is unknown; it is one or more.
    if (text !== undefined) sink.text(this.#text.next(text), 1, undefined, 0);
    if (this.#blockSize !== undefined) this.#reusedBlocks = reusedBlocks(response) ?? this.#reusedBlocks;
    const reason = response.text('finish_reason');
    // Until a response ends, its reason is the text None.
    if (reason !== undefined && reason !== 'None') this.#finish(finishReason(reason), sink);
    else if (response.final) this.#finish(undefined, sink);
  }

  #finish(reason: FinishReason | undefined, sink: GenerateSink): void {
    this.#isFinished = true;
    const rest = this.#text.rest();
    if (rest !== '') sink.text(rest, 0, undefined, 0);
    if (this.#reusedBlocks !== undefined) sink.cachedTokens(this.#reusedBlocks * (this.#blockSize ?? 0));
    sink.finish(reason, 0);
  }
}

/** A number that the model declares as INT32 and sends as text: the datatype in the response is the right one. */
function reusedBlocks(response: InferResponse): number | undefined {
  const description = response.outputs.find(({ name }) => name === 'kv_cache_reused_block');
  const data = response.raw('kv_cache_reused_block');
  return description && data && readNumber(data, description.datatype);
}

function finishReason(text: string): FinishReason {
  switch (text) {
    case 'length':
    case 'stop':
      return text;
    case 'timeout':
      throw new ApiError('deadline_exceeded', 'The engine stopped the request at its own time limit.');
    default:
      throw new ApiError('backend_error', `The backend ended the generation early (${text}).`);
  }
}
