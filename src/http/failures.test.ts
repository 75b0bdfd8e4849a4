import { expect, it } from 'vitest';
import { tinyApp, tinyEndpoint } from '../../test/support/tiny-app.ts';
import { ApiError, type ErrorCode } from '../errors.ts';

async function failed(error: ApiError) {
  const handler = () => () => {
    throw error;
  };
  const { statusCode, headers } = await tinyApp([tinyEndpoint({ handler })]).inject({ url: '/' });
  return { status: statusCode, retryAfter: headers['retry-after'], shouldRetry: headers['x-should-retry'] };
}

it.each([
  ['says nothing of retries where they may help', {}, { status: 503, retryAfter: undefined, shouldRetry: undefined }],
  ['says when to retry', { retryAfter: 7 }, { status: 503, retryAfter: '7', shouldRetry: undefined }],
  ['says that retries are useless', { isFinal: true }, { status: 503, retryAfter: undefined, shouldRetry: 'false' }],
] as const)('%s', async (_, details, response) => {
  expect(await failed(new ApiError('model_not_ready', 'The engine failed.', details))).toEqual(response);
});

it.each([
  ['invalid_request', 'false'],
  ['invalid_api_key', 'false'],
  ['model_not_allowed', 'false'],
  ['model_not_found', 'false'],
  ['request_too_large', 'false'],
  ['request_timeout', undefined],
  ['model_busy', undefined],
  ['rate_limit_exceeded', undefined],
  ['backend_error', undefined],
] as const satisfies readonly (readonly [ErrorCode, string | undefined])[])(
  'says of %s whether the same request would fail again',
  async (code, shouldRetry) => {
    expect((await failed(new ApiError(code, 'It failed.'))).shouldRetry).toBe(shouldRetry);
  },
);

it('lets clients retry an error that says when', async () => {
  expect((await failed(new ApiError('guide_quarantined', 'Later.', { retryAfter: 3 }))).shouldRetry).toBeUndefined();
});
