import { describe, expect, it } from 'vitest';
import { tinyApp, tinyEndpoint } from '../../test/support/tiny-app.ts';

const error = (code: string, message: string) => ({
  error: { message, type: 'invalid_request_error', param: null, code },
});

async function send(payload: string | Buffer, headers: Readonly<Record<string, string>> = {}) {
  const echo = tinyEndpoint({
    methods: ['POST'],
    handler:
      () =>
      async ({ body }) =>
        body,
  });
  const app = tinyApp([echo], { jsonBounds: { depth: 3, values: 10 }, maxInputSize: 1_000_000 });
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  });
  return [statusCode, JSON.parse(body)];
}

describe('a body', () => {
  it('is JSON', async () => {
    expect(await send('[[[1]]]')).toEqual([200, [[[1]]]]);
    expect(await send('{"__proto__": 1}')).toEqual([400, error('invalid_json', 'Request body is not valid JSON.')]);
  });

  it('has no deeper JSON than allowed', async () => {
    expect(await send('['.repeat(100_000))).toEqual([
      400,
      error('invalid_json', 'Request body is nested too deeply: the limit is 3 levels (--max-json-depth).'),
    ]);
  });

  it('has no more values than allowed', async () => {
    expect(await send('[1,2,3,4,5,6,7,8,9]')).toEqual([200, [1, 2, 3, 4, 5, 6, 7, 8, 9]]);
    expect(await send(`[${'{},'.repeat(10)}{}]`)).toEqual([
      400,
      error('invalid_json', 'Request body has too many values: the limit is 10 (--max-json-values).'),
    ]);
  });

  it('may say that it is not encoded', async () => {
    expect(await send('{}', { 'content-encoding': 'Identity' })).toEqual([200, {}]);
  });
});
