import { StatusError } from './status.ts';

/** A timeout for the first or the next response of a server. */
export class ResponseTimeoutError extends StatusError {
  readonly awaited: 'first' | 'next';

  constructor(awaited: 'first' | 'next', milliseconds: number) {
    super('DEADLINE_EXCEEDED', `The ${awaited} response did not arrive within ${milliseconds} ms.`);
    this.awaited = awaited;
  }
}
