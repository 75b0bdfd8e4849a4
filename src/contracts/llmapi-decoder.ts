import { ApiError } from '../errors.ts';
import type { InferResponse } from '../kserve/server.ts';
import { AccumulatedText } from './accumulated-text.ts';
import type { EngineReport, FinishReason, GenerateDecoder, GenerateSink } from './contract.ts';
import { numberIn, readReport } from './llmapi-metrics.ts';

interface DecoderOptions {
  /** Present where the request includes the reuse of the cache. */
  readonly blockSize: number | undefined;
  /** Whether the request includes the engine's times and drafts. */
  readonly hasReport: boolean;
}

/** Reads the responses of one request to a model on TensorRT-LLM's LLM API: each carries all text so far. */
export class LlmapiDecoder implements GenerateDecoder {
  readonly #text = new AccumulatedText();
  readonly #options: DecoderOptions;
  #report: EngineReport | undefined;
  #reusedBlocks: number | undefined;
  #isFinished = false;

  constructor(options: DecoderOptions) {
    this.#options = options;
  }

  push(response: InferResponse, sink: GenerateSink): void {
    if (this.#isFinished) return;
    const text = response.text('text_output');
    // The number of tokens of a response is unknown; it is one or more.
    if (text !== undefined) sink.text(this.#text.next(text), 1, undefined, 0);
    const { blockSize, hasReport } = this.#options;
    if (blockSize !== undefined) this.#reusedBlocks = numberIn(response, 'kv_cache_reused_block') ?? this.#reusedBlocks;
    const reason = response.text('finish_reason');
    // Until a response ends, its reason is the text None, and its report is not the last one.
    if (hasReport && reason !== 'None') this.#report = readReport(response) ?? this.#report;
    if (reason !== undefined && reason !== 'None') this.#finish(finishReason(reason), sink);
    else if (response.final) this.#finish(undefined, sink);
  }

  #finish(reason: FinishReason | undefined, sink: GenerateSink): void {
    this.#isFinished = true;
    const rest = this.#text.rest();
    if (rest !== '') sink.text(rest, 0, undefined, 0);
    if (this.#reusedBlocks !== undefined) sink.cachedTokens(this.#reusedBlocks * (this.#options.blockSize ?? 0));
    if (this.#report) sink.engineReport(this.#report);
    sink.finish(reason, 0);
  }
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
