import { StatusError } from './status.ts';

/** An answer that is larger than we take: every server would give the same. */
export class OversizedMessage extends StatusError {
  constructor(length: number, allowed: number) {
    super('RESOURCE_EXHAUSTED', `The server sent a message of ${length} bytes, more than the ${allowed} allowed.`);
  }
}
