import type { TokenLogprob } from '../../../contracts/contract.ts';
import type { GenerateEvent } from '../../../contracts/events.ts';
import type { ApiError } from '../../../errors.ts';
import type { ResponseWriter } from '../../../http/response-writer.ts';
import type { ResponseEvents } from './response-events.ts';

interface StoringWriterOptions {
  readonly events: ResponseEvents;
  /** Stores the response before its last event is written. */
  readonly store: () => Promise<void>;
  readonly rename: (error: ApiError) => ApiError;
}

/** Writes a response as events, and stores it before the last event. */
export class StoringWriter implements ResponseWriter {
  readonly #options: StoringWriterOptions;

  constructor(options: StoringWriterOptions) {
    this.#options = options;
  }

  begin(events: readonly GenerateEvent[]): string {
    return this.#options.events.begin(events);
  }

  delta(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): string {
    return this.#options.events.delta(choice, text, tokens, logprobs);
  }

  write(event: GenerateEvent): string {
    return this.#options.events.write(event);
  }

  async end(): Promise<string> {
    const { events, store } = this.#options;
    events.complete();
    await store();
    return events.ending();
  }

  async fail(error: ApiError): Promise<string> {
    const { events, store, rename } = this.#options;
    events.abandon(rename(error));
    await store();
    return events.ending();
  }
}
