import type { ApiError } from '../errors.ts';
import type { Signal } from '../signal.ts';

/** A response as clients get it: the members that storing and following it need, and whatever else its API writes. */
export interface ResponseBody {
  readonly id: string;
  readonly status: string;
  /** Seconds since 1970. */
  readonly created_at: number;
  /** The response that it goes on from. */
  readonly previous_response_id: string | null;
}

/** A response that is being made. */
export interface StorableResponse {
  response(): ResponseBody;
  /** It could not be stored, and says so. */
  forget(): void;
}

/** A response that is written as a stream of events, in the wire format of its API. */
export interface GrowingResponse extends StorableResponse {
  queued(): ResponseBody;
  /** The event that says so. */
  queue(): string;
  /** What opens the stream. */
  begin(): string;
  /** All events have come. */
  complete(): void;
  /** It ends before that. */
  abandon(reason: ApiError | 'cancelled'): void;
  /** What closes the stream. */
  ending(): string;
}

/** What makes a response in the background. */
export interface BackgroundWork {
  readonly owner: string;
  /** Its own input, as it is stored. */
  readonly input: readonly Readonly<Record<string, unknown>>[];
  readonly growing: GrowingResponse;
  /** Begins to generate; errors that it throws are in the names of its API. */
  begin(signal: Signal): Promise<BegunWork>;
}

/** Work that has begun. */
export interface BegunWork {
  /** Runs it to its end: gives the events as they come, in the wire format of the API. */
  run(write: (text: string) => void): Promise<void>;
  /** Puts an error of the run into the names of the API. */
  readonly rename: (error: ApiError) => ApiError;
}

/** Whether nothing says yet how a response ended. */
export function isBeingMade(status: unknown): boolean {
  return status === 'queued' || status === 'in_progress';
}
