import type { FastifyInstance, FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { lockedBook, tinyApp, tinyEndpoint } from '../../test/support/tiny-app.ts';
import type { KeyFacts } from '../keys/key-holder.ts';
import type { Endpoint } from './api.ts';
import { checkManages } from './guard.ts';
import type { RestrictedApi, RestrictedGroup } from './restricted-apis.ts';

const groups: readonly RestrictedGroup[] = ['inference', 'embedding', 'model-repository', 'metrics', 'health'];

/** An endpoint for each group, and others. */
function appWith(
  restrictedApis: readonly RestrictedApi[],
  own?: { key: string } & Partial<KeyFacts>,
  others: readonly Endpoint<unknown>[] = [],
): FastifyInstance {
  const endpoints = groups.map((group) => tinyEndpoint({ paths: [`/${group}`], group }));
  return tinyApp([...endpoints, ...others], { restrictedApis, ...(own ? { keys: lockedBook(own) } : {}) });
}

/** The groups that answer a request with these headers. */
async function openTo(app: FastifyInstance, headers: Record<string, string>): Promise<readonly RestrictedGroup[]> {
  const statuses = await Promise.all(
    groups.map(async (group) => (await app.inject({ url: `/${group}`, headers })).statusCode),
  );
  return groups.filter((_, index) => statuses[index] === 200);
}

describe('guard', () => {
  it.each(groups)('restricts %s, and embeddings with inference', async (group) => {
    const app = appWith([{ apis: [group], header: 'X-Key', value: 'Word' }]);
    const others = groups.filter((each) => each !== group && !(group === 'inference' && each === 'embedding'));
    expect(await openTo(app, {})).toEqual(others);
    expect(await openTo(app, { 'x-key': 'word' })).toEqual(others);
    expect(await openTo(app, { 'x-key': 'Word, Word' })).toEqual(others);
    expect(await openTo(app, { 'x-key': '' })).toEqual(others);
    expect(await openTo(app, { 'x-other': 'Word' })).toEqual(others);
    expect(await openTo(app, { 'x-KEY': 'Word' })).toEqual(groups);
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
    expect(await openTo(app, { 'x-key': 'a', authorization })).toEqual(groups);
  });

  it("takes the key from the header of Google's clients, and from the query only where the endpoint says so", async () => {
    const others = [tinyEndpoint({ paths: ['/query'], takesKeyInQuery: true })];
    const app = appWith([], { key: 'secret' }, others);
    const statusOf = async (url: string, headers: Record<string, string> = {}) =>
      (await app.inject({ url, headers })).statusCode;
    expect(await statusOf('/inference', { 'x-goog-api-key': 'secret' })).toBe(200);
    expect(await statusOf('/inference', { 'x-goog-api-key': 'wrong' })).toBe(401);
    expect(await statusOf('/query?key=secret')).toBe(200);
    expect(await statusOf('/query?key=wrong&key=secret')).toBe(401);
    expect(await statusOf('/inference?key=secret')).toBe(401);
  });

  it('does not count what runs no model', async () => {
    const stored = tinyEndpoint({ paths: ['/kept'], isUncounted: true });
    const app = appWith([], { key: 'secret', requestsPerMinute: 1 }, [stored]);
    const statusOf = async (url: string) =>
      (await app.inject({ url, headers: { authorization: 'Bearer secret' } })).statusCode;
    expect(await statusOf('/inference')).toBe(200);
    expect(await statusOf('/inference')).toBe(429);
    expect([await statusOf('/kept'), await statusOf('/kept'), await statusOf('/metrics')]).toEqual([200, 200, 200]);
  });

  it('charges a prompt without a token count as estimated', async () => {
    const handler: Endpoint<unknown>['handler'] = () => async (request) => {
      await request.reserveTokens?.({ prompt: 40, completion: 20 });
      request.watch.counts({ promptTokens: undefined, completionTokens: 10 });
      return '';
    };
    const app = appWith([], { key: 'secret', tokensPerMinute: 100 }, [tinyEndpoint({ paths: ['/answer'], handler })]);
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
      expect(check(rules)).toThrow('This API key is limited to specific models and cannot load or unload models');
  });

  it('rejects a route without an endpoint', () => {
    expect(() => appWith([]).get('/', async () => '')).toThrow('Route / has no endpoint.');
  });
});
