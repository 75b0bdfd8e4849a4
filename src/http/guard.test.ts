import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { openBook } from '../keys/key-book.ts';
import type { KeyFacts } from '../keys/key-holder.ts';
import { KeyRing } from '../keys/key-ring.ts';
import { digestOf } from '../keys/secrets.ts';
import { LocalGates } from '../limits/local-gates.ts';
import { LocalRates } from '../limits/local-rates.ts';
import { sendFailure } from './failures.ts';
import { checkManages, guard } from './guard.ts';
import { requestLog } from './request-log.ts';
import type { ApiName, RestrictedApi } from './restricted-apis.ts';

const apis: readonly ApiName[] = ['inference', 'embedding', 'model-repository', 'metrics', 'health'];

/** A route for each API. */
function appWith(restrictedApis: readonly RestrictedApi[], own?: { key: string } & Partial<KeyFacts>): FastifyInstance {
  const app = fastify();
  app.setErrorHandler(sendFailure);
  requestLog(app);
  const keys = {
    ...openBook,
    isLocked: own !== undefined,
    ring: new KeyRing(own ? [{ digest: digestOf(own.key), holder: { id: 'key:a', name: 'a', ...own } }] : []),
  };
  guard(app, { keys, keyLimits: { rates: new LocalRates(), gates: new LocalGates() }, restrictedApis });
  for (const api of apis) app.get(`/${api}`, { config: { api } }, async () => api);
  return app;
}

/** The APIs that answer a request with these headers. */
async function openTo(app: FastifyInstance, headers: Record<string, string>): Promise<readonly ApiName[]> {
  const statuses = await Promise.all(
    apis.map(async (api) => (await app.inject({ url: `/${api}`, headers })).statusCode),
  );
  return apis.filter((_, index) => statuses[index] === 200);
}

describe('guard', () => {
  it.each(apis)('restricts %s, and embeddings with inference', async (api) => {
    const app = appWith([{ apis: [api], header: 'X-Key', value: 'Word' }]);
    const others = apis.filter((each) => each !== api && !(api === 'inference' && each === 'embedding'));
    expect(await openTo(app, {})).toEqual(others);
    expect(await openTo(app, { 'x-key': 'word' })).toEqual(others);
    expect(await openTo(app, { 'x-key': 'Word, Word' })).toEqual(others);
    expect(await openTo(app, { 'x-key': '' })).toEqual(others);
    expect(await openTo(app, { 'x-other': 'Word' })).toEqual(others);
    expect(await openTo(app, { 'x-KEY': 'Word' })).toEqual(apis);
  });

  it('restricts embeddings by themselves where they have a header of their own', async () => {
    const app = appWith([
      { apis: ['inference'], header: 'x-user', value: 'a' },
      { apis: ['embedding'], header: 'x-other', value: 'b' },
    ]);
    expect(await openTo(app, { 'x-user': 'a' })).toEqual(['inference', 'model-repository', 'metrics', 'health']);
    expect(await openTo(app, { 'x-other': 'b' })).toEqual(['embedding', 'model-repository', 'metrics', 'health']);
  });

  it('wants the key too, but not for health', async () => {
    const app = appWith([{ apis: ['inference', 'health'], header: 'x-key', value: 'a' }], { key: 'secret' });
    const authorization = 'Bearer secret';
    expect(await openTo(app, {})).toEqual([]);
    expect(await openTo(app, { authorization })).toEqual(['model-repository', 'metrics']);
    expect(await openTo(app, { 'x-key': 'a' })).toEqual(['health']);
    expect(await openTo(app, { 'x-key': 'a', authorization })).toEqual(apis);
  });

  it('does not count what runs no model', async () => {
    const app = appWith([], { key: 'secret', requestsPerMinute: 1 });
    app.get('/kept', { config: { api: 'inference', counts: false } }, async () => 'kept');
    const statusOf = async (url: string) =>
      (await app.inject({ url, headers: { authorization: 'Bearer secret' } })).statusCode;
    expect(await statusOf('/inference')).toBe(200);
    expect(await statusOf('/inference')).toBe(429);
    expect([await statusOf('/kept'), await statusOf('/kept'), await statusOf('/metrics')]).toEqual([200, 200, 200]);
  });

  it('charges a prompt that nobody counted as it was guessed', async () => {
    const app = appWith([], { key: 'secret', tokensPerMinute: 100 });
    app.get('/answer', { config: { api: 'inference' } }, async (request) => {
      await request.reserveTokens?.({ prompt: 40, answers: 20 });
      request.watch.counts({ promptTokens: undefined, completionTokens: 10 });
      return '';
    });
    const leftAfter = async () => {
      const { headers } = await app.inject({ url: '/answer', headers: { authorization: 'Bearer secret' } });
      return headers['x-ratelimit-remaining-tokens'];
    };
    expect([await leftAfter(), await leftAfter()]).toEqual(['100', '50']);
  });

  it('lets those manage who may use all models, or say so', () => {
    const check = (rules: Partial<KeyFacts> | undefined) => () =>
      checkManages({ key: rules && { name: 'a', ...rules } } as FastifyRequest);
    for (const rules of [undefined, {}, { models: ['a'], mayManage: true }]) expect(check(rules)).not.toThrow();
    for (const rules of [{ models: ['a'] }, { models: [], mayManage: false }])
      expect(check(rules)).toThrow('This key is for some models alone and may not load or unload models');
  });

  it('has no place for a route without an API', () => {
    expect(() => appWith([]).get('/', async () => '')).toThrow('/ does not say which API it belongs to.');
  });
});
