import type { TokenLogprob } from '../contracts/contract.ts';
import type { GenerateEvent } from '../contracts/events.ts';
import type { ApiError } from '../errors.ts';

/** Writes the events of a generation as a stream, in the format of one API. */
export interface ResponseWriter {
  /** The content type of the stream; left out: server-sent events. */
  readonly contentType?: string;
  /** The start of the stream, with the first events. They may include the prompt length. */
  begin(events: readonly GenerateEvent[]): string;
  /** A text delta, as arguments instead of an event: there is one for almost every token. */
  delta(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): string;
  write(event: GenerateEvent): string;
  /** The end of a complete stream. */
  end(): string | Promise<string>;
  /** The end of a stream that failed after its start. */
  fail(error: ApiError): string | Promise<string>;
}
