import type { ApiError } from '../errors.ts';
import type { Signal } from '../signal.ts';

/** A response as clients get it: the members that storing and following need, and those that its API adds. */
export interface ResponseBody {
  readonly id: string;
  readonly status: string;
  /** Seconds since 1970. */
  readonly created_at: number;
  /** The response that it continues. */
  readonly previous_response_id: string | null;
}

/** A response that is in progress. */
export interface StorableResponse {
  response(): ResponseBody;
  /** It could not be stored: marks it as not stored. */
  forget(): void;
}

/** A response that is written as a stream of events, in the wire format of its API. */
export interface GrowingResponse extends StorableResponse {
  queued(): ResponseBody;
  /** The event that reports the failure. */
  queue(): string;
  /** The first events of the stream. */
  begin(): string;
  /** Called after all events. */
  complete(): void;
  /** Called if it ends early. */
  abandon(reason: ApiError | 'cancelled'): void;
  /** The end of the stream. */
  ending(): string;
}

/** Creates a response in the background. */
export interface BackgroundWork {
  readonly owner: string;
  /** Its own input, as stored. */
  readonly input: readonly Readonly<Record<string, unknown>>[];
  readonly growing: GrowingResponse;
  /** Starts the generation; its errors use the field names of its API. */
  begin(signal: Signal): Promise<StartedWork>;
}

/** A generation that has started. */
export interface StartedWork {
  /** Runs to the end and yields the events in the wire format of the API. */
  run(write: (text: string) => void): Promise<void>;
  /** Translates an error of the run to the field names of the API. */
  readonly rename: (error: ApiError) => ApiError;
}

/** Whether a response has not ended yet. */
export function isBeingMade(status: unknown): boolean {
  return status === 'queued' || status === 'in_progress';
}
