import fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { openBook } from '../keys/key-book.ts';
import { KeyRing } from '../keys/key-ring.ts';
import { digestOf } from '../keys/secrets.ts';
import { LocalGates } from '../limits/local-gates.ts';
import { LocalRates } from '../limits/local-rates.ts';
import { crossOrigin } from './cross-origin.ts';
import { sendFailure } from './failures.ts';
import { guard } from './guard.ts';
import { unknownPaths } from './paths.ts';
import { requestLog } from './request-log.ts';

function appWith(origins: readonly string[]): FastifyInstance {
  const app = fastify();
  app.setErrorHandler(sendFailure);
  requestLog(app);
  crossOrigin(app, origins);
  unknownPaths(app);
  const ring = new KeyRing([{ digest: digestOf('word'), holder: { id: 'key:a', name: 'a' } }]);
  const keyLimits = { rates: new LocalRates(), gates: new LocalGates() };
  guard(app, { keys: { ...openBook, isLocked: true, ring }, keyLimits, restrictedApis: [] });
  app.post('/v1/chat', { config: { api: 'inference' } }, async () => 'fine');
  return app;
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
  const shown = Object.entries(all).filter(([name]) => name.startsWith('access-control') || name === 'vary');
  return { status: statusCode, ...Object.fromEntries(shown) };
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
const asked = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers': 'authorization',
  'access-control-max-age': '600',
};

describe('pages of other origins', () => {
  it('are told nothing where none may call', async () => {
    const app = appWith([]);
    expect(await ask(app, 'POST', { origin: page, authorization })).toEqual({ status: 200 });
    expect(await ask(app, 'OPTIONS', preflight)).toEqual({ status: 401 });
  });

  it('of the list may ask first without a key, and read answers and refusals', async () => {
    const app = appWith(['http://other', page]);
    expect(await ask(app, 'OPTIONS', preflight)).toEqual({
      status: 204,
      ...forPage,
      ...asked,
      vary: 'Origin, Access-Control-Request-Headers',
    });
    expect(await ask(app, 'POST', { origin: page, authorization })).toEqual({ status: 200, ...forPage });
    expect(await ask(app, 'POST', { origin: page })).toEqual({ status: 401, ...forPage });
    expect(await ask(app, 'GET', { origin: page, authorization }, '/nowhere')).toEqual({ status: 404, ...forPage });
    expect(await ask(app, 'GET', { origin: page, authorization })).toEqual({ status: 405, ...forPage });
  });

  it('that are not on the list get no leave', async () => {
    const app = appWith([page]);
    const answer = await ask(app, 'POST', { origin: 'https://evil.example.com', authorization });
    expect(answer).not.toHaveProperty('access-control-allow-origin');
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
      ...asked,
      vary: 'Access-Control-Request-Headers',
    });
  });
});
