import type { FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { lockedBook, tinyApp, tinyEndpoint } from '../../test/support/tiny-app.ts';

function appWith(allowedOrigins: readonly string[]): FastifyInstance {
  const endpoint = tinyEndpoint({ methods: ['POST'], paths: ['/v1/chat'] });
  return tinyApp([endpoint], { allowedOrigins, keys: lockedBook({ key: 'word' }) });
}

const authorization = 'Bearer word';
const page = 'https://app.example.com';

async function ask(
  app: FastifyInstance,
  method: 'POST' | 'OPTIONS' | 'GET',
  headers: Record<string, string>,
  url = '/v1/chat',
) {
  const { statusCode, headers: all } = await app.inject({ method, url, headers });
  const displayed = Object.entries(all).filter(([name]) => name.startsWith('access-control') || name === 'vary');
  return { status: statusCode, ...Object.fromEntries(displayed) };
}

const preflight = {
  origin: page,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization',
};
const readable = {
  'access-control-expose-headers':
    'x-request-id, request-id, retry-after, x-should-retry, server-timing, x-conch-ignored, x-conch-structured, ' +
    'x-ratelimit-limit-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-requests, ' +
    'x-ratelimit-remaining-tokens, x-ratelimit-reset-requests, x-ratelimit-reset-tokens',
};
const forPage = {
  'access-control-allow-origin': page,
  'access-control-allow-credentials': 'true',
  ...readable,
  vary: 'Origin',
};
const requested = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers': 'authorization',
  'access-control-max-age': '600',
};

describe('pages of other origins', () => {
  it('get no headers if no origin is allowed', async () => {
    const app = appWith([]);
    expect(await ask(app, 'POST', { origin: page, authorization })).toEqual({ status: 200 });
    expect(await ask(app, 'OPTIONS', preflight)).toEqual({ status: 401 });
  });

  it('of the list may send a preflight without a key, and read responses and errors', async () => {
    const app = appWith(['http://other', page]);
    expect(await ask(app, 'OPTIONS', preflight)).toEqual({
      status: 204,
      ...forPage,
      ...requested,
      vary: 'Origin, Access-Control-Request-Headers',
    });
    expect(await ask(app, 'POST', { origin: page, authorization })).toEqual({ status: 200, ...forPage });
    expect(await ask(app, 'POST', { origin: page })).toEqual({ status: 401, ...forPage });
    expect(await ask(app, 'GET', { origin: page, authorization }, '/nowhere')).toEqual({ status: 404, ...forPage });
    expect(await ask(app, 'GET', { origin: page, authorization })).toEqual({ status: 405, ...forPage });
  });

  it('that are not on the list get no leave', async () => {
    const app = appWith([page]);
    const response = await ask(app, 'POST', { origin: 'https://evil.example.com', authorization });
    expect(response).not.toHaveProperty('access-control-allow-origin');
    expect(await ask(app, 'OPTIONS', { ...preflight, origin: `${page}.evil.example.com` })).not.toHaveProperty(
      'access-control-allow-origin',
    );
  });

  it('may all call without credentials where * is set', async () => {
    const app = appWith(['*']);
    expect(await ask(app, 'POST', { origin: page, authorization })).toEqual({
      status: 200,
      'access-control-allow-origin': '*',
      ...readable,
    });
    expect(await ask(app, 'OPTIONS', preflight)).toEqual({
      status: 204,
      'access-control-allow-origin': '*',
      ...readable,
      ...requested,
      vary: 'Access-Control-Request-Headers',
    });
  });
});
