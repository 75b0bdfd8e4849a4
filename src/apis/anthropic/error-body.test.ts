import { describe, expect, it } from 'vitest';
import { ApiError, type ErrorCode } from '../../errors.ts';
import { errorBody } from './error-body.ts';

describe('errorBody', () => {
  it.each([
    ['invalid_request', 'invalid_request_error'],
    ['unsupported_parameter', 'invalid_request_error'],
    ['context_length_exceeded', 'invalid_request_error'],
    ['invalid_api_key', 'authentication_error'],
    ['model_not_found', 'not_found_error'],
    ['request_too_large', 'request_too_large'],
    ['rate_limit_exceeded', 'rate_limit_error'],
    ['internal_error', 'api_error'],
    ['backend_error', 'api_error'],
    ['model_not_ready', 'overloaded_error'],
    ['server_not_ready', 'overloaded_error'],
    ['deadline_exceeded', 'timeout_error'],
  ] as const satisfies readonly (readonly [ErrorCode, string])[])('gives %s as %s', (code, type) => {
    const body = { type: 'error', error: { type, message: 'It failed.' }, request_id: 'req_1' };
    expect(errorBody(new ApiError(code, 'It failed.'), 'req_1')).toEqual(body);
  });
});
