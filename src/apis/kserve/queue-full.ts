import { StatusError } from '../../kserve/status.ts';

/** The queue of a model is full. Retry after `retryAfter` seconds. */
export class QueueFull extends StatusError {
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number) {
    super('RESOURCE_EXHAUSTED', message);
    this.retryAfter = retryAfter;
  }
}
