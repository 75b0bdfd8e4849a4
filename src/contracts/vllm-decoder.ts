import type { InferResponse } from '../kserve/server.ts';
import type { FinishReason, GenerateDecoder, GenerateRequest, GenerateSink, TokenLogprob } from './contract.ts';
import { vllmFinishReason } from './vllm-finish-reason.ts';
import { readVllmLogprobs } from './vllm-logprobs.ts';
import type { ResponseTokens } from './vllm-returns.ts';

interface DecoderOptions {
  /** Whether the model's release gives finish reasons. */
  readonly tellsReason: boolean;
  /** Learns how many tokens the responses of streams have. */
  readonly responseTokens: ResponseTokens;
}

/** Reads the responses of one request to the vLLM backend: each carries the text since the one before. */
export class VllmDecoder implements GenerateDecoder {
  readonly #request: GenerateRequest;
  readonly #tellsReason: boolean;
  readonly #responseTokens: ResponseTokens;
  #tokens = 0;
  #isPromptCounted = false;
  #isCounted = false;
  #isFinished = false;

  constructor(request: GenerateRequest, { tellsReason, responseTokens }: DecoderOptions) {
    this.#request = request;
    this.#tellsReason = tellsReason;
    this.#responseTokens = responseTokens;
  }

  push(response: InferResponse, sink: GenerateSink): void {
    const text = response.text('text_output');
    if (text !== undefined && !this.#isFinished) this.#pushData(response, text, sink);
    // Releases without a finish_reason say only that this was the last response.
    if (response.final && !this.#isFinished && !this.#tellsReason) {
      const { maxTokens } = this.#request.sampling;
      this.#finish(maxTokens !== undefined && this.#tokens >= maxTokens ? 'length' : 'stop', sink);
    }
  }

  #pushData(response: InferResponse, text: string, sink: GenerateSink): void {
    if (!this.#isPromptCounted) {
      this.#isPromptCounted = true;
      const count = response.uint32('num_input_tokens');
      if (count !== undefined) sink.promptTokens(count);
    }
    const logprobs = this.#logprobs(response);
    const tokens = this.#count(response, logprobs);
    this.#tokens += tokens;
    sink.text(text, tokens, logprobs);
    const reason = response.text('finish_reason');
    // The backend writes the text None on every response but the last.
    if (reason !== undefined && reason !== 'None') this.#finish(vllmFinishReason(reason), sink);
  }

  /** There is a logprob for every token, so they count where the backend does not. */
  #count(response: InferResponse, logprobs: readonly TokenLogprob[] | undefined): number {
    const counted = response.uint32('num_output_tokens');
    if (counted === undefined) return logprobs?.length || 1;
    if (this.#request.stream) {
      this.#isCounted = true;
      this.#responseTokens.saw(counted);
    }
    return counted;
  }

  #logprobs(response: InferResponse): TokenLogprob[] | undefined {
    const { logprobs } = this.#request;
    const json = logprobs === undefined ? undefined : response.text('logprobs');
    return json === undefined ? undefined : readVllmLogprobs(json, logprobs as number);
  }

  #finish(reason: FinishReason, sink: GenerateSink): void {
    this.#isFinished = true;
    if (this.#isCounted) this.#responseTokens.ended();
    sink.finish(reason);
  }
}
