import { StatusError } from './status.ts';

/** A server that was waited for too long: for its first response, or for the next one. */
export class WaitFault extends StatusError {
  readonly awaited: 'first' | 'next';

  constructor(awaited: 'first' | 'next', milliseconds: number) {
    super('DEADLINE_EXCEEDED', `The ${awaited} response did not come within ${milliseconds} ms.`);
    this.awaited = awaited;
  }
}
