import { StreamFault } from './infer-codec.ts';
import type { StatusCode, StatusError } from './status.ts';

/** What servers say of a request that they never begin; running ones fail in other ways. */
const refusals: ReadonlySet<StatusCode> = new Set(['INVALID_ARGUMENT', 'NOT_FOUND', 'UNIMPLEMENTED']);

/**
 * Whether a request was refused before it began, rather than failed. Triton's streams say it by leaving out the final
 * flag; a server in this process says it by the code.
 */
export function isRefusal(error: StatusError): boolean {
  if (error instanceof StreamFault) return !error.final;
  return error.unreachable || refusals.has(error.code);
}
