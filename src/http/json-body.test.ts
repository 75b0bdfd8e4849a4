import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tinyApp, tinyEndpoint } from '../../test/support/tiny-app.ts';
import type { EndpointFacts } from './api.ts';

const error = (code: string, message: string) => ({
  error: { message, type: 'invalid_request_error', param: null, code },
});

async function send(
  payload: string | Buffer,
  headers: Readonly<Record<string, string | undefined>> = {},
  facts: Partial<EndpointFacts> = {},
) {
  const echo = tinyEndpoint({
    methods: ['POST'],
    handler:
      () =>
      async ({ body }) =>
        body ?? 'no body',
    ...facts,
  });
  const app = tinyApp([echo], { jsonBounds: { depth: 3, values: 10 }, maxInputSize: 1_000_000 });
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: '/',
    headers: Object.fromEntries(
      Object.entries({ 'content-type': 'application/json', ...headers }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
    payload,
  });
  return [statusCode, body === 'no body' ? body : JSON.parse(body)];
}

const noJson = error(
  'unsupported_media_type',
  'Request body must be JSON, sent with "Content-Type: application/json".',
);

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

  it('may be empty only for an endpoint without a request schema', async () => {
    expect(await send('')).toEqual([200, 'no body']);
    expect(await send('', { 'content-length': '0' })).toEqual([200, 'no body']);
    const request = { name: 'Request', schema: z.object({}) };
    const operations = [{ tag: 'tiny', summary: 'Reads a body.', request, response: 'any' as const }];
    expect(await send('', {}, { operations })).toEqual([
      400,
      error('invalid_json', 'Request body is empty. Send a JSON object.'),
    ]);
  });

  it.each([undefined, 'application/x-www-form-urlencoded', 'Application/X-WWW-Form-Urlencoded; charset=utf-8'])(
    'may have the content type %s at some endpoints, unless a web page sends it',
    async (type) => {
      const untyped = { 'content-type': type };
      expect(await send('{"a":1}', untyped, { takesForms: true })).toEqual([200, { a: 1 }]);
      expect(await send('{"a":1}', { ...untyped, origin: 'https://a.example' }, { takesForms: true })).toEqual([
        415,
        noJson,
      ]);
      expect(await send('{"a":1}', untyped)).toEqual([415, noJson]);
    },
  );

  it.each(['text/plain', 'nonsense', 'multipart/form-data; boundary=x'])('never has the type %s', async (type) => {
    expect(await send('{"a":1}', { 'content-type': type }, { takesForms: true })).toEqual([415, noJson]);
  });
});
