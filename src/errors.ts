import type { Signal } from './signal.ts';
/** Every failure that a client may see, with its HTTP status and OpenAI's `type`. docs/errors.md lists them all. */
export const errorTable = {
  invalid_request: { status: 400, type: 'invalid_request_error' },
  unsupported_parameter: { status: 400, type: 'invalid_request_error' },
  unknown_field: { status: 400, type: 'invalid_request_error' },
  guide_quarantined: { status: 400, type: 'invalid_request_error' },
  context_length_exceeded: { status: 400, type: 'invalid_request_error' },
  invalid_json: { status: 400, type: 'invalid_request_error' },
  invalid_api_key: { status: 401, type: 'authentication_error' },
  invalid_auth: { status: 401, type: 'authentication_error' },
  model_not_allowed: { status: 403, type: 'permission_error' },
  management_not_allowed: { status: 403, type: 'permission_error' },
  priority_not_allowed: { status: 403, type: 'permission_error' },
  previous_response_not_found: { status: 400, type: 'invalid_request_error' },
  model_not_found: { status: 404, type: 'invalid_request_error' },
  not_found: { status: 404, type: 'invalid_request_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  request_timeout: { status: 408, type: 'invalid_request_error' },
  model_busy: { status: 409, type: 'invalid_request_error' },
  request_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  headers_too_large: { status: 431, type: 'invalid_request_error' },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error' },
  client_closed_request: { status: 499, type: 'invalid_request_error' },
  internal_error: { status: 500, type: 'server_error' },
  backend_error: { status: 502, type: 'server_error' },
  structured_output_invalid: { status: 502, type: 'server_error' },
  server_unreachable: { status: 502, type: 'server_error' },
  model_not_ready: { status: 503, type: 'server_error' },
  server_not_ready: { status: 503, type: 'server_error' },
  store_unavailable: { status: 503, type: 'server_error' },
  deadline_exceeded: { status: 504, type: 'server_error' },
} as const satisfies Record<string, { status: number; type: string }>;

export type ErrorCode = keyof typeof errorTable;

/** `unknown_model`: no server has the model. Not set for a model that exists but is not served. */
type ErrorReason = 'unknown_model';

/** The token counts of a request that exceeds the context length. */
export interface TokenOverflow {
  readonly promptTokens: number;
  /** Only if the prompt would fit without them. */
  readonly maxTokens?: number;
  /** The context length, or the longest prompt. */
  readonly limit: number;
}

interface ErrorDetails {
  /** The request field that caused the error. */
  readonly param?: string;
  /** Seconds after which a new try makes sense. */
  readonly retryAfter?: number;
  /** Response headers that belong to the failure, such as Allow. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The same request would fail again: clients that retry on their own must not. */
  readonly isFinal?: true;
  /** What exactly happened, where one code has several causes and the program must tell them apart. */
  readonly reason?: ErrorReason;
  /** For `context_length_exceeded`, if the counts are known. */
  readonly overflow?: TokenOverflow;
  /** The underlying error: for the log, never for the client. */
  readonly cause?: unknown;
}

/** A message may quote what a client sent. These limits keep long bodies out of responses and logs. */
const longestMessage = 4_096;
const longestParam = 512;

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** An error with its code; the message is written for the client. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly retryAfter: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly isFinal: boolean;
  readonly reason: ErrorReason | undefined;
  readonly overflow: TokenOverflow | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(shortened(message, longestMessage), details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ApiError';
    this.code = code;
    this.param = details.param === undefined ? null : shortened(details.param, longestParam);
    this.retryAfter = details.retryAfter;
    this.headers = details.headers ?? {};
    this.isFinal = details.isFinal ?? false;
    this.reason = details.reason;
    this.overflow = details.overflow;
  }

  get status(): number {
    return errorTable[this.code].status;
  }

  /** The error as OpenAI's clients expect it. */
  body(): { error: { message: string; type: string; param: string | null; code: string } } {
    return { error: { message: this.message, type: errorTable[this.code].type, param: this.param, code: this.code } };
  }

  /** The same error for a field with another name. A message that begins with the name gets the new one too. */
  renamed(param: string | null, { cause = this.cause }: { readonly cause?: unknown } = {}): ApiError {
    const old = this.param;
    const isNamed = old !== null && param !== null && this.message.startsWith(`${old}:`);
    const message = isNamed ? param + this.message.slice(old.length) : this.message;
    return new ApiError(this.code, message, this.#details({ param, cause, isFinal: this.isFinal }));
  }

  /** The same error for a client that must not retry the request. */
  asFinal(): ApiError {
    const { code, message, param, cause } = this;
    return new ApiError(code, message, this.#details({ param, cause, isFinal: true }));
  }

  #details({ param, cause, isFinal }: Pick<ApiError, 'param' | 'cause' | 'isFinal'>): ErrorDetails {
    return {
      ...(param === null ? {} : { param }),
      headers: this.headers,
      ...(isFinal ? { isFinal } : {}),
      ...(this.retryAfter === undefined ? {} : { retryAfter: this.retryAfter }),
      ...(this.reason === undefined ? {} : { reason: this.reason }),
      ...(this.overflow === undefined ? {} : { overflow: this.overflow }),
      ...(cause === undefined ? {} : { cause }),
    };
  }

  /** Any thrown value as an ApiError. What is not one becomes `internal_error`; its text goes only to the log. */
  static from(value: unknown): ApiError {
    if (value instanceof ApiError) return value;
    return new ApiError('internal_error', 'The server met an unexpected condition. The log has the details.', {
      cause: value,
    });
  }
}

/** Why a request ended before its response was complete: the ApiError of the signal, or the client disconnected. */
export function endedBy({ reason }: Signal, cause?: unknown): ApiError {
  if (reason instanceof ApiError) return reason;
  return new ApiError('client_closed_request', 'The client disconnected before the response was complete.', { cause });
}
