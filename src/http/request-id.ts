import { randomUUID } from 'node:crypto';

/** The client's id if it is short and plain, to trace a request across systems; otherwise a new one. */
export function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}
