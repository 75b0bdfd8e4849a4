import { StatusError } from '../../kserve/status.ts';

/** Too many requests want to a model; there may be room after so many seconds. */
export class QueueFull extends StatusError {
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number) {
    super('RESOURCE_EXHAUSTED', message);
    this.retryAfter = retryAfter;
  }
}
