import { randomUUID } from 'node:crypto';

/** The client's id if it is short and plain, to trace a request across systems; otherwise a new one. */
export function requestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) ? header : randomUUID();
}
