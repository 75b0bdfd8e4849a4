import type { TokenLogprob } from '../../../contracts/contract.ts';
import type { GenerateEvent } from '../../../contracts/events.ts';
import type { ApiError } from '../../../errors.ts';
import type { ResponseWriter } from '../../../http/response-writer.ts';
import type { ResponseEvents } from './response-events.ts';

interface KeptWriterOptions {
  readonly events: ResponseEvents;
  /** Stores the response before its last event is written. */
  readonly keep: () => Promise<void>;
  readonly rename: (fault: ApiError) => ApiError;
}

/** Writes a response as events, and stores it before the last event. */
export class KeptWriter implements ResponseWriter {
  readonly #options: KeptWriterOptions;

  constructor(options: KeptWriterOptions) {
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
    const { events, keep } = this.#options;
    events.complete();
    await keep();
    return events.ending();
  }

  async fail(fault: ApiError): Promise<string> {
    const { events, keep, rename } = this.#options;
    events.abandon(rename(fault));
    await keep();
    return events.ending();
  }
}
