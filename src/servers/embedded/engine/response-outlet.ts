import type { InferResponse } from '../../../kserve/server.ts';

/** Where the responses to one request go. */
export interface ResponseOutlet {
  /** Whether the reader wants none at the moment: the generation waits. */
  readonly isPaused: boolean;
  push(response: InferResponse): void;
  /** No more comes; with a fault, the reader is told of it. */
  end(fault?: unknown): void;
}
