import { describe, expect, it } from 'vitest';
import { ApiError, type ErrorCode } from '../../errors.ts';
import { errorBody } from './error-body.ts';

describe('errorBody', () => {
  const messageOf = (error: ApiError) => errorBody(error, null).error.message;
  const tooLong = (details: ConstructorParameters<typeof ApiError>[2]) =>
    new ApiError('context_length_exceeded', 'Too long.', details);

  it('reports a context overflow in the words that clients look for', () => {
    expect(messageOf(tooLong({ overflow: { promptTokens: 46, limit: 32 } }))).toBe(
      'prompt is too long: 46 tokens > 32 maximum',
    );
    expect(messageOf(tooLong({ overflow: { promptTokens: 20, limit: 32 }, param: 'prompt' }).renamed('messages'))).toBe(
      'prompt is too long: 20 tokens > 32 maximum',
    );
    expect(messageOf(tooLong({ overflow: { promptTokens: 20, maxTokens: 30, limit: 32 } }))).toBe(
      'input length and `max_tokens` exceed context limit: 20 + 30 > 32, ' +
        'decrease input length or `max_tokens` and try again',
    );
    expect(messageOf(tooLong({}))).toBe('prompt is too long: Too long.');
  });

  it('has the code that makes tool runners send the whole conversation', () => {
    const error = new ApiError('unsupported_parameter', 'thread: no.', { param: 'thread' });
    expect(errorBody(error, 'req_1').error).toEqual({
      type: 'invalid_request_error',
      message: 'thread: no.',
      details: { error_code: 'thread_unsupported_request' },
    });
  });

  it.each([
    ['invalid_request', 'invalid_request_error'],
    ['unsupported_parameter', 'invalid_request_error'],
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
