import { binaryOf, bytesOf } from '../../kserve/json-value.ts';
import { type Writable, writeJson } from '../../kserve/json-write.ts';
import { type StatusCode, StatusError } from '../../kserve/status.ts';
import { QueueFull } from './queue-full.ts';

/** The content types that Triton answers with. */
export const jsonType = 'application/json';
export const plainType = 'text/plain';
export const binaryType = 'application/octet-stream';

/** A whole answer of the HTTP frontend. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** What the log and the metrics call a failure; left out: what its status says. */
  readonly code?: string;
}

/** A failure with the answer's details that its code does not decide. */
export class HttpFault extends StatusError {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ code, message }: StatusError, contentType: string, headers: Readonly<Record<string, string>> = {}) {
    super(code, message);
    this.contentType = contentType;
    this.headers = headers;
  }
}

/** The answer of a call that has nothing to say but that it succeeded. */
export function done(contentType: string): Answer {
  return { status: 200, contentType, body: Buffer.alloc(0) };
}

/** An answer in JSON; its texts are binary strings. */
export function jsonAnswer(value: Writable): Answer {
  return { status: 200, contentType: jsonType, body: bytesOf(writeJson(value)) };
}

/** The answer that says what failed. */
export function failure(status: number, message: string, contentType: string): Answer {
  return { status, contentType, body: bytesOf(errorJson(message)) };
}

/** The answer of a failed call. */
export function failureOf(error: StatusError, contentType: string): Answer {
  if (error instanceof QueueFull)
    return {
      ...failure(429, error.message, jsonType),
      code: 'rate_limit_exceeded',
      headers: { 'Retry-After': String(error.retryAfter) },
    };
  const isSpecial = error instanceof HttpFault;
  const whole = failure(httpStatus(error.code), error.message, isSpecial ? error.contentType : contentType);
  const answer = { ...whole, code: error.code.toLowerCase() };
  return isSpecial ? { ...answer, headers: error.headers } : answer;
}

/** A failure as JSON, in a binary string. */
export function errorJson(message: string): string {
  return writeJson({ error: binaryOf(message) });
}

/** As Triton maps its codes, and our own about keys; all others are 400. */
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

/** What the log and the metrics call a failure of which only the HTTP status is known; undefined for one that is none. */
export function codeOfStatus(status: number): string | undefined {
  if (status < 400) return undefined;
  return codes[status] ?? (status < 500 ? 'invalid_argument' : 'internal');
}
