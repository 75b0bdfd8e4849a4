import { ApiError } from '../errors.ts';
import type { InferResponse } from '../kserve/server.ts';
import { readText } from '../kserve/tensors.ts';
import type { FinishReason, GenerateDecoder, GenerateRequest, GenerateSink, TokenLogprob } from './contract.ts';
import { readVllmLogprobs } from './vllm-logprobs.ts';

/** Reads the responses of one request to the vLLM backend: each carries the text since the one before. */
export class VllmDecoder implements GenerateDecoder {
  readonly #request: GenerateRequest;
  readonly #tellsReason: boolean;
  #tokens = 0;
  #isPromptCounted = false;
  #isFinished = false;

  constructor(request: GenerateRequest, tellsReason: boolean) {
    this.#request = request;
    this.#tellsReason = tellsReason;
  }

  push(response: InferResponse, sink: GenerateSink): void {
    const text = response.raw('text_output');
    if (text !== undefined && !this.#isFinished) this.#pushData(response, text, sink);
    // Releases without a finish_reason say only that this was the last response.
    if (response.final && !this.#isFinished && !this.#tellsReason) {
      const { maxTokens } = this.#request.sampling;
      this.#finish(maxTokens !== undefined && this.#tokens >= maxTokens ? 'length' : 'stop', sink);
    }
  }

  #pushData(response: InferResponse, text: Buffer, sink: GenerateSink): void {
    if (!this.#isPromptCounted) {
      this.#isPromptCounted = true;
      const count = response.raw('num_input_tokens');
      if (count !== undefined && count.length >= 4) sink.promptTokens(count.readUInt32LE(0));
    }
    const count = response.raw('num_output_tokens');
    const tokens = count !== undefined && count.length >= 4 ? count.readUInt32LE(0) : 1;
    this.#tokens += tokens;
    sink.text(readText(text), tokens, this.#logprobs(response));
    const reason = response.raw('finish_reason');
    if (reason !== undefined && !isNone(reason)) this.#finish(finishReason(readText(reason)), sink);
  }

  #logprobs(response: InferResponse): TokenLogprob[] | undefined {
    const { logprobs } = this.#request;
    const json = logprobs === undefined ? undefined : response.raw('logprobs');
    return json === undefined ? undefined : readVllmLogprobs(readText(json), logprobs as number);
  }

  #finish(reason: FinishReason, sink: GenerateSink): void {
    this.#isFinished = true;
    sink.finish(reason);
  }
}

/** Whether a BYTES tensor holds the text `None`, as the backend writes it on every response but the last. */
function isNone(data: Buffer): boolean {
  return data.length === 8 && data.readUInt32BE(4) === 0x4e6f6e65;
}

function finishReason(text: string): FinishReason {
  switch (text) {
    case 'length':
      return 'length';
    case 'stop':
    case 'repetition':
      return 'stop';
    default:
      throw new ApiError('backend_error', `The backend ended the generation early (${text}).`);
  }
}
