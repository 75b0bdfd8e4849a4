import type { ApiError } from '../../errors.ts';

/** A failure as Anthropic's clients expect it. */
export interface ErrorBody {
  readonly type: 'error';
  readonly error: { readonly type: ErrorType; readonly message: string };
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

export function errorBody({ status, message }: ApiError, requestId: string | null): ErrorBody {
  return { type: 'error', error: { type: errorType(status), message }, request_id: requestId };
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
