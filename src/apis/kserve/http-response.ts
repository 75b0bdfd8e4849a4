import { binaryOf, bytesOf } from '../../kserve/json-value.ts';
import { type Writable, writeJson } from '../../kserve/json-write.ts';
import { type StatusCode, StatusError } from '../../kserve/status.ts';
import { QueueFull } from './queue-full.ts';

/** The content types of Triton's responses. */
export const jsonType = 'application/json';
export const plainType = 'text/plain';
export const binaryType = 'application/octet-stream';

/** A complete response of the HTTP frontend. */
export interface HttpResponse {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The code of a failure in the log and the metrics; by default, the one of its status. */
  readonly code?: string;
}

/** An error with a content type and headers of its own. */
export class HttpError extends StatusError {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ code, message }: StatusError, contentType: string, headers: Readonly<Record<string, string>> = {}) {
    super(code, message);
    this.contentType = contentType;
    this.headers = headers;
  }
}

/** An empty response: the call succeeded. */
export function emptyResponse(contentType: string): HttpResponse {
  return { status: 200, contentType, body: Buffer.alloc(0) };
}

/** A JSON response; its texts are binary strings. */
export function jsonResponse(value: Writable): HttpResponse {
  return { status: 200, contentType: jsonType, body: bytesOf(writeJson(value)) };
}

/** An error response. */
export function failure(status: number, message: string, contentType: string): HttpResponse {
  return { status, contentType, body: bytesOf(errorJson(message)) };
}

/** The response of a failed call. */
export function failureOf(error: StatusError, contentType: string): HttpResponse {
  if (error instanceof QueueFull)
    return {
      ...failure(429, error.message, jsonType),
      code: 'rate_limit_exceeded',
      headers: { 'Retry-After': String(error.retryAfter) },
    };
  const isSpecial = error instanceof HttpError;
  const whole = failure(httpStatus(error.code), error.message, isSpecial ? error.contentType : contentType);
  const response = { ...whole, code: error.code.toLowerCase() };
  return isSpecial ? { ...response, headers: error.headers } : response;
}

/** An error body as JSON, in a binary string. */
export function errorJson(message: string): string {
  return writeJson({ error: binaryOf(message) });
}

/** Triton's mapping of codes, plus ours about keys; all others are 400. */
const statuses: Readonly<Partial<Record<StatusCode, number>>> = {
  INTERNAL: 500,
  NOT_FOUND: 404,
  UNAVAILABLE: 503,
  UNIMPLEMENTED: 501,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
};

/** The HTTP status of a code. */
export function httpStatus(code: StatusCode): number {
  return statuses[code] ?? 400;
}

const codes: Readonly<Record<number, string>> = {
  ...Object.fromEntries(Object.entries(statuses).map(([code, status]) => [status, code.toLowerCase()])),
  405: 'method_not_allowed',
  429: 'rate_limit_exceeded',
};

/** The code in the log and the metrics for a failure with only an HTTP status; undefined for a success. */
export function codeOfStatus(status: number): string | undefined {
  if (status < 400) return undefined;
  return codes[status] ?? (status < 500 ? 'invalid_argument' : 'internal');
}
