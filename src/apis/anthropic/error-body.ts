import type { ApiError } from '../../errors.ts';

/** A failure as Anthropic's clients expect it. */
export interface ErrorBody {
  readonly type: 'error';
  readonly error: {
    readonly type: ErrorType;
    readonly message: string;
    /** Only for errors that clients handle themselves. */
    readonly details?: { readonly error_code: string };
  };
  readonly request_id: string | null;
}

type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'timeout_error'
  | 'overloaded_error'
  | 'api_error';

export function errorBody(error: ApiError, requestId: string | null): ErrorBody {
  const { status, param, code } = error;
  // The tool runners of Anthropic's SDKs then send the whole conversation instead.
  const isThread = code === 'unsupported_parameter' && param === 'thread';
  const details = isThread ? { details: { error_code: 'thread_unsupported_request' } } : {};
  return {
    type: 'error',
    error: { type: errorType(status), message: messageOf(error), ...details },
    request_id: requestId,
  };
}

/** Clients recognize a context overflow by Anthropic's text: Claude Code then compacts the conversation. */
function messageOf({ code, message, overflow }: ApiError): string {
  if (code !== 'context_length_exceeded') return message;
  if (!overflow) return `prompt is too long: ${message}`;
  const { promptTokens, maxTokens, limit } = overflow;
  if (maxTokens === undefined) return `prompt is too long: ${promptTokens} tokens > ${limit} maximum`;
  const sum = `${promptTokens} + ${maxTokens} > ${limit}`;
  return `input length and \`max_tokens\` exceed context limit: ${sum}, decrease input length or \`max_tokens\` and try again`;
}

const byStatus: Readonly<Record<number, ErrorType>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

function errorType(status: number): ErrorType {
  return byStatus[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}
