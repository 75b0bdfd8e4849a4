import { expect, it } from 'vitest';
import { tinyApp, tinyEndpoint } from '../../test/support/tiny-app.ts';
import { ApiError } from '../errors.ts';

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
