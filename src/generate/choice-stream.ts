import type { GenerateDecoder } from '../contracts/contract.ts';
import type { GenerateEvent, GenerateEvents } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import type { InferResponse } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import { WaitFault } from '../kserve/wait-fault.ts';
import type { InferenceWatch } from '../request-watch.ts';
import type { ChoiceReader } from './choice-reader.ts';
import { type FaultPlace, generationFault } from './faults.ts';

interface ChoiceOptions {
  readonly responses: AsyncIterableIterator<InferResponse[]>;
  readonly decoder: GenerateDecoder;
  readonly reader: ChoiceReader;
  /** Ends the inference on servers where leaving its stream does not. */
  readonly stop?: ((hasBegun: boolean) => void) | undefined;
  readonly place: FaultPlace;
  /** Hears when the first response is there, and of the end. */
  readonly watch: Pick<InferenceWatch, 'first' | 'end'>;
}

type Result = IteratorResult<GenerateEvent[]>;

/**
 * Drives one inference: takes its responses as they come and gives the events that its reader makes of them. One of these
 * runs for every stream, so it is an object, not a generator.
 */
export class ChoiceStream implements GenerateEvents {
  readonly #options: ChoiceOptions;
  #hasBegun = false;
  /** Whether a server has ended the inference with an error. */
  #hasFailed = false;
  #isLeft = false;
  #fault: { readonly error: unknown } | undefined;

  constructor(options: ChoiceOptions) {
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Whether a response has come. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  next(): Promise<Result> {
    // Chained by hand, as this runs for every token; the gain over an async function was within the noise.
    if (this.#fault) return this.#onFault(this.#fault.error);
    if (this.#isLeft) return Promise.resolve({ done: true, value: undefined });
    return this.#options.responses.next().then(this.#onBatch, this.#onFault);
  }

  async return(): Promise<Result> {
    await this.#leave();
    return { done: true, value: undefined };
  }

  readonly #onBatch = (result: IteratorResult<InferResponse[]>): Result | Promise<Result> => {
    const { reader, decoder, watch } = this.#options;
    try {
      if (result.done) return this.#end();
      if (!this.#hasBegun) watch.first();
      this.#hasBegun = true;
      for (const response of result.value) decoder.push(response, reader);
    } catch (error) {
      // What was decoded before the fault is given first.
      if (!reader.hasEvents) return this.#onFault(error);
      this.#fault = { error };
    }
    // A stop sequence was met, which ends the inference too.
    if (reader.isComplete && !this.#isOver) this.#leave().catch(() => undefined);
    return reader.count()?.then(this.#given, this.#onFault) ?? this.#given();
  };

  readonly #given = (): Result | Promise<Result> => {
    const { reader } = this.#options;
    return reader.hasEvents ? { done: false, value: reader.take() } : this.next();
  };

  readonly #onFault = async (error: unknown): Promise<never> => {
    // A server that answers with an error has ended the inference itself; one that was waited for too long has not.
    if (error instanceof StatusError && !(error instanceof WaitFault) && !this.#options.place.signal.aborted)
      this.#hasFailed = true;
    await this.#leave(error);
    throw generationFault(error, this.#options.place);
  };

  get #isOver(): boolean {
    return this.#hasFailed || this.#options.reader.isEnded;
  }

  /** Ends the inference where it has not ended by itself. */
  async #leave(fault?: unknown): Promise<void> {
    const { responses, stop, watch } = this.#options;
    if (!this.#isLeft) {
      if (!this.#isOver) stop?.(this.#hasBegun);
      watch.end(fault);
    }
    this.#isLeft = true;
    await responses.return?.();
  }

  #end(): Result {
    const { reader, watch } = this.#options;
    if (!reader.isComplete) throw new ApiError('backend_error', 'The backend ended the answer without finishing it.');
    this.#isLeft = true;
    watch.end();
    return { done: true, value: undefined };
  }
}
