import { StreamError } from './infer-codec.ts';
import type { StatusCode, StatusError } from './status.ts';

/** The codes of requests that a server never started; running ones fail in other ways. */
const refusals: ReadonlySet<StatusCode> = new Set(['INVALID_ARGUMENT', 'NOT_FOUND', 'UNIMPLEMENTED']);

/**
 * Whether a request was rejected before it started, rather than failed. In Triton's streams, the final flag is then
 * missing; a server in this process uses the code.
 */
export function isRefusal(error: StatusError): boolean {
  if (error instanceof StreamError) return !error.final;
  return error.unreachable || refusals.has(error.code);
}
