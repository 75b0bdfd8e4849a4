import { describe, expect, it } from 'vitest';
import { silentServices, tinyApi, tinyApp, tinyEndpoint } from '../../test/support/tiny-app.ts';
import { ApiError } from '../errors.ts';
import { countingRecorder, type RequestFacts } from '../request-watch.ts';
import { createApp } from './app.ts';

describe('an app', () => {
  it('sends the headers of an API with its own responses only, whatever they are', async () => {
    const own = tinyApi([tinyEndpoint({ paths: ['/own/known'] })], {
      prefixes: ['/own'],
      errorBody: ({ code }, id) => ({ own: code, id }),
      headers: (id) => ({ 'x-own': id }),
    });
    const app = createApp(silentServices(), [tinyApi([tinyEndpoint({ paths: ['/other'] })]), own]);
    const seen = async (url: string, value = {}) => {
      const { statusCode, headers, body } = await app.inject({ url, headers: { 'x-request-id': 'r', ...value } });
      return [statusCode, headers['x-own'], body];
    };
    expect(await seen('/own/known')).toEqual([200, 'r', 'fine']);
    expect(await seen('/own/nothing')).toEqual([404, 'r', '{"own":"not_found","id":"r"}']);
    expect((await seen('/own/known', { 'content-encoding': 'compress' })).slice(0, 2)).toEqual([415, 'r']);
    expect((await seen('/own/%zz')).slice(0, 2)).toEqual([404, 'r']);
    expect(await seen('/other')).toEqual([200, undefined, 'fine']);
    expect((await seen('/nothing')).slice(0, 2)).toEqual([404, undefined]);
  });

  it('selects between endpoints of the same path by a header', async () => {
    const handler =
      () =>
      async ({ params }: { params: unknown }) =>
        `own${(params as { '*'?: string })['*'] ?? ''}`;
    const paths = ['/models', '/models/*'];
    const own = tinyApi([tinyEndpoint({ paths, header: 'anthropic-version', handler })], {
      errorBody: ({ code }) => ({ own: code }),
    });
    const app = createApp(silentServices(), [tinyApi([tinyEndpoint({ paths })]), own]);
    const seen = async (url: string, headers = {}) => (await app.inject({ url, headers })).body;
    const version = { 'anthropic-version': '2023-06-01' };
    expect([await seen('/models'), await seen('/models/a/b')]).toEqual(['fine', 'fine']);
    expect([await seen('/models', version), await seen('/models/a/b', version)]).toEqual(['own', 'owna/b']);
    const { statusCode, headers } = await app.inject({ method: 'DELETE', url: '/models', headers: version });
    expect([statusCode, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  it('sends the same headers with every response', async () => {
    const app = tinyApp([tinyEndpoint({})]);
    for (const url of ['/', '/nowhere', '/%zz']) {
      const { headers } = await app.inject({ url, headers: { 'x-request-id': 'own' } });
      expect([headers['x-content-type-options'], headers['x-request-id']]).toEqual(['nosniff', 'own']);
    }
  });

  it('records what an endpoint does under the name that the endpoint gives it', async () => {
    const facts: RequestFacts[] = [];
    const record = (value: RequestFacts) => {
      facts.push(value);
      return countingRecorder(value);
    };
    const endpoint = tinyEndpoint({ paths: ['/a', '/b'], operation: 'rerank' });
    const app = tinyApp([endpoint, tinyEndpoint({ paths: ['/c'] })], { record });
    for (const url of ['/a?x=1', '/b', '/c', '/d']) await app.inject(url);
    expect(facts.map(({ path, route, operation }) => [path, route, operation])).toEqual([
      ['/a', '/a', 'rerank'],
      ['/b', '/b', 'rerank'],
      ['/c', '/c', undefined],
      ['/d', undefined, undefined],
    ]);
  });

  it('rejects unsupported endpoints before the body is read', async () => {
    const refusal = () => new ApiError('invalid_request', 'Not offered.');
    const app = tinyApp([tinyEndpoint({ methods: ['POST'], refusal })]);
    const headers = { 'content-type': 'text/plain', 'content-encoding': 'compress' };
    const { statusCode, body } = await app.inject({ method: 'POST', url: '/', headers, payload: 'x' });
    expect([statusCode, JSON.parse(body).error.message]).toEqual([400, 'Not offered.']);
  });

  it.each(['PUT', 'QUERY', 'TRACE', 'PROPFIND'])('rejects the method %s with those of the path', async (method) => {
    const app = tinyApp([tinyEndpoint({ paths: ['/a/:b'] }), tinyEndpoint({ methods: ['DELETE'], paths: ['/a/:b'] })]);
    const request = { method: method as 'PUT', url: '/a/b?c', headers: { 'content-type': 'text/plain' }, payload: 'x' };
    const { statusCode, headers, body } = await app.inject(request);
    expect([statusCode, headers['allow'], JSON.parse(body)]).toEqual([
      405,
      'GET, HEAD, DELETE',
      {
        error: {
          message: `Method ${method} is not allowed for /a/b. Allowed: GET, HEAD, DELETE.`,
          type: 'invalid_request_error',
          param: null,
          code: 'method_not_allowed',
        },
      },
    ]);
    expect((await app.inject({ method: 'HEAD', url: '/a/b' })).statusCode).toBe(200);
  });

  it('rejects a request without a route before its body is read', async () => {
    const app = tinyApp([tinyEndpoint({})], { maxInputSize: 10 });
    const request = { method: 'POST', url: '/nothing', headers: { 'content-type': 'application/json' } } as const;
    const { statusCode, body } = await app.inject({ ...request, payload: 'x'.repeat(100) });
    expect([statusCode, JSON.parse(body).error.message]).toEqual([404, 'Invalid URL (POST /nothing).']);
  });
});
