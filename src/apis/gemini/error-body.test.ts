import { describe, expect, it } from 'vitest';
import { ApiError, type ErrorCode } from '../../errors.ts';
import { errorBody } from './error-body.ts';

const info = (reason: string) => ({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'conch' });

describe('errorBody', () => {
  it.each([
    ['invalid_request', 400, 'INVALID_ARGUMENT'],
    ['invalid_api_key', 401, 'UNAUTHENTICATED'],
    ['model_not_allowed', 403, 'PERMISSION_DENIED'],
    ['model_not_found', 404, 'NOT_FOUND'],
    ['method_not_allowed', 405, 'UNIMPLEMENTED'],
    ['model_busy', 409, 'ABORTED'],
    ['request_too_large', 413, 'INVALID_ARGUMENT'],
    ['rate_limit_exceeded', 429, 'RESOURCE_EXHAUSTED'],
    ['internal_error', 500, 'INTERNAL'],
    ['server_unreachable', 502, 'UNAVAILABLE'],
    ['server_not_ready', 503, 'UNAVAILABLE'],
    ['deadline_exceeded', 504, 'DEADLINE_EXCEEDED'],
  ] as const satisfies readonly (readonly [ErrorCode, number, string])[])('gives %s as %i %s', (code, status, name) => {
    expect(errorBody(new ApiError(code, 'It failed.'))).toEqual({
      error: { code: status, message: 'It failed.', status: name, details: [info(code.toUpperCase())] },
    });
  });

  it('has the field and the time until a new try', () => {
    const error = new ApiError('rate_limit_exceeded', 'Too many.', { param: 'model', retryAfter: 3 });
    expect(errorBody(error).error.details).toEqual([
      info('RATE_LIMIT_EXCEEDED'),
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'model', description: 'Too many.' }],
      },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3s' },
    ]);
  });
});
