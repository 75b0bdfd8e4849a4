import { randomUUID } from 'node:crypto';

/** The client's own id where it is short and plain, for following a request through several systems. */
export function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}
