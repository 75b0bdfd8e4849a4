import type { TokenLogprob } from '../contracts/contract.ts';
import type { GenerateEvent } from '../contracts/events.ts';
import type { ApiError } from '../errors.ts';

/** Writes the events of an answer as a stream, in the words of one API. */
export interface ResponseWriter {
  /** What the stream is; server-sent events where it is left out. */
  readonly contentType?: string;
  /** The stream's beginning: what opens it, then the first events, which may tell how long the prompt is. */
  begin(events: readonly GenerateEvent[]): string;
  /** A text delta, by the members of its event: there is one for almost every token. */
  delta(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): string;
  write(event: GenerateEvent): string;
  /** What closes a stream that is complete. */
  end(): string | Promise<string>;
  /** What closes one that failed after it had begun. */
  fail(fault: ApiError): string | Promise<string>;
}
