import type { ApiError } from '../../errors.ts';

/** An error as Google's clients expect it. */
export interface ErrorBody {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly status: string;
    readonly details: readonly object[];
  };
}

const typePrefix = 'type.googleapis.com/google.rpc.';

/** An error in Google's shape. The details have Conch's error code, the field, and the time until a new try. */
export function errorBody({ status, code, message, param, retryAfter }: ApiError): ErrorBody {
  const details: object[] = [{ '@type': `${typePrefix}ErrorInfo`, reason: code.toUpperCase(), domain: 'conch' }];
  if (param !== null)
    details.push({
      '@type': `${typePrefix}BadRequest`,
      fieldViolations: [{ field: param, description: message }],
    });
  if (retryAfter !== undefined) details.push({ '@type': `${typePrefix}RetryInfo`, retryDelay: `${retryAfter}s` });
  return { error: { code: status, message, status: statusName(status), details } };
}

/** Google's names of HTTP statuses. */
const statusNames: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function statusName(status: number): string {
  return statusNames[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
}
