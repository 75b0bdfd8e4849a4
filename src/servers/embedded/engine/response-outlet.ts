import type { InferResponse } from '../../../kserve/server.ts';

/** Receives the responses to one request. */
export interface ResponseOutlet {
  /** Whether the reader is paused: the generation waits. */
  readonly isPaused: boolean;
  push(response: InferResponse): void;
  /** Ends the responses; an error is passed on to the reader. */
  end(error?: unknown): void;
}
