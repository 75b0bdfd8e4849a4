import { type StatusCode, StatusError } from '../../kserve/status.ts';
import { errorCodes } from './http2/frames.ts';

/** The caller no longer wants the answer. */
export function cancelled(): StatusError {
  return new StatusError('CANCELLED', 'The call was cancelled.');
}

/** The answer was not there in time. */
export function overdue(timeout: number | undefined): StatusError {
  return new StatusError('DEADLINE_EXCEEDED', `No answer within ${timeout} ms.`);
}

/** The server does not keep to the protocol. */
export function faulty(message: string): StatusError {
  return new StatusError('INTERNAL', message);
}

/** The connection went away under the call. */
export function brokenConnection(cause: unknown): StatusError {
  return new StatusError('UNAVAILABLE', 'The connection to the server broke.', { unreachable: true, cause });
}

/** A server that resets one call is there; only a refused call was surely not begun. */
export function resetCall(code: number): StatusError {
  if (code === errorCodes.REFUSED_STREAM)
    return new StatusError('UNAVAILABLE', 'The server refused the call.', { unreachable: true });
  const status = code === errorCodes.ENHANCE_YOUR_CALM ? 'RESOURCE_EXHAUSTED' : 'INTERNAL';
  return new StatusError(status, `The server reset the call (HTTP/2 error code ${code}).`);
}

/** As the gRPC specification maps HTTP statuses of answers that carry no gRPC status. */
export function codeOfHttp(status: number): StatusCode {
  if (status === 400) return 'INTERNAL';
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'PERMISSION_DENIED';
  if (status === 404) return 'UNIMPLEMENTED';
  if (status === 429 || status === 502 || status === 503 || status === 504) return 'UNAVAILABLE';
  return 'UNKNOWN';
}

/** The status message travels percent-encoded; one that is not decodable is shown as it came. */
export function statusMessage(encoded: string | string[] | undefined): string {
  const text = Array.isArray(encoded) ? encoded.join(', ') : (encoded ?? '');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
