import type { FinishReason, GenerateDecoder, GenerateSink, TokenLogprob } from '../contracts/contract.ts';
import type { GenerateEvent, GenerateEvents } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import type { InferResponse } from '../kserve/server.ts';
import { type FaultPlace, generationFault } from './faults.ts';

/** The counts of a whole request, filled by its choices; the last one to finish reports them. */
export interface Tally {
  /** Undefined when nobody can count the prompt: then there is no usage to report. */
  promptTokens: number | undefined;
  completionTokens: number;
  unfinished: number;
}

interface ChoiceOptions {
  readonly choice: number;
  readonly responses: AsyncIterableIterator<InferResponse[]>;
  readonly decoder: GenerateDecoder;
  /** Text that stands before what is generated. */
  readonly prefix: string;
  readonly tally: Tally;
  /** Whether the prompt tokens that the backend counts for this choice are added to the tally. */
  readonly countsPrompt: boolean;
  /** The prompt tokens that were counted here instead. */
  readonly countedPrompt: number | undefined;
  readonly place: FaultPlace;
}

/** One inference as the events of one choice. One of these runs for every stream, so it is an object, not a generator. */
export class ChoiceStream implements GenerateEvents, GenerateSink {
  readonly #options: ChoiceOptions;
  #events: GenerateEvent[] = [];
  #isFinished = false;
  #fault: { readonly error: unknown } | undefined;

  constructor(options: ChoiceOptions) {
    this.#options = options;
    const { choice, prefix, countedPrompt } = options;
    if (countedPrompt !== undefined) this.#events.push({ type: 'prompt-tokens', count: countedPrompt });
    if (prefix !== '') this.#events.push({ type: 'text-delta', choice, text: prefix, tokens: 0, logprobs: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<GenerateEvent[]>> {
    // Chained by hand, as this runs for every token; the gain over an async function was within the noise.
    if (this.#fault) return this.#onFault(this.#fault.error);
    return this.#options.responses.next().then(this.#onBatch, this.#onFault);
  }

  async return(): Promise<IteratorResult<GenerateEvent[]>> {
    await this.#options.responses.return?.();
    return { done: true, value: undefined };
  }

  text(text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    this.#options.tally.completionTokens += tokens;
    this.#events.push({ type: 'text-delta', choice: this.#options.choice, text, tokens, logprobs });
  }

  promptTokens(count: number): void {
    const { tally, countsPrompt } = this.#options;
    if (!countsPrompt) return;
    tally.promptTokens = (tally.promptTokens ?? 0) + count;
    this.#events.push({ type: 'prompt-tokens', count });
  }

  finish(reason: FinishReason): void {
    const { tally, choice } = this.#options;
    this.#isFinished = true;
    this.#events.push({ type: 'finish', choice, reason });
    tally.unfinished--;
    if (tally.unfinished > 0 || tally.promptTokens === undefined) return;
    const { promptTokens, completionTokens } = tally;
    this.#events.push({ type: 'usage', promptTokens, completionTokens });
  }

  readonly #onBatch = (
    result: IteratorResult<InferResponse[]>,
  ): IteratorResult<GenerateEvent[]> | Promise<IteratorResult<GenerateEvent[]>> => {
    try {
      if (result.done) return this.#end();
      for (const response of result.value) this.#options.decoder.push(response, this);
    } catch (error) {
      // What was decoded before the fault is given first.
      if (this.#events.length === 0) return this.#onFault(error);
      this.#fault = { error };
    }
    if (this.#events.length === 0) return this.next();
    const value = this.#events;
    this.#events = [];
    return { done: false, value };
  };

  readonly #onFault = async (error: unknown): Promise<never> => {
    const { responses, place } = this.#options;
    await responses.return?.();
    throw generationFault(error, place);
  };

  #end(): IteratorResult<GenerateEvent[]> {
    if (!this.#isFinished) throw new ApiError('backend_error', 'The backend ended the answer without finishing it.');
    return { done: true, value: undefined };
  }
}
