import { type StatusCode, StatusError } from '../../kserve/status.ts';
import { errorCodes } from './http2/frames.ts';

/** The caller cancelled the call. */
export function cancelledError(): StatusError {
  return new StatusError('CANCELLED', 'The call was cancelled.');
}

/** The deadline of the call has passed. */
export function timeoutError(timeout: number | undefined): StatusError {
  return new StatusError('DEADLINE_EXCEEDED', `No response within ${timeout} ms.`);
}

/** The server violates the protocol. */
export function invalidCallError(message: string): StatusError {
  return new StatusError('INTERNAL', message);
}

/** The connection was lost during the call. */
export function connectionLostError(cause: unknown): StatusError {
  return new StatusError('UNAVAILABLE', 'The connection to the server was lost.', { unreachable: true, cause });
}

/** A server that resets one call is reachable; only a refused call has certainly not started. */
export function resetError(code: number): StatusError {
  if (code === errorCodes.REFUSED_STREAM)
    return new StatusError('UNAVAILABLE', 'The server refused the call.', { unreachable: true });
  const status = code === errorCodes.ENHANCE_YOUR_CALM ? 'RESOURCE_EXHAUSTED' : 'INTERNAL';
  return new StatusError(status, `The server reset the call (HTTP/2 error code ${code}).`);
}

/** Maps the HTTP status of a response without a gRPC status, as the gRPC specification does. */
export function codeOfHttp(status: number): StatusCode {
  if (status === 400) return 'INTERNAL';
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'PERMISSION_DENIED';
  if (status === 404) return 'UNIMPLEMENTED';
  if (status === 429 || status === 502 || status === 503 || status === 504) return 'UNAVAILABLE';
  return 'UNKNOWN';
}

/** Decodes the percent-encoded status message; returns one that cannot be decoded as it is. */
export function statusMessage(encoded: string | string[] | undefined): string {
  const text = Array.isArray(encoded) ? encoded.join(', ') : (encoded ?? '');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
