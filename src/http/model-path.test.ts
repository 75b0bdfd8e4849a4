import { expect, it } from 'vitest';
import { lockedBook, tinyApp, tinyEndpoint } from '../../test/support/tiny-app.ts';
import { modelInPath, restOfPath } from './model-path.ts';

const models = { targets: () => new Map([['own:latest', 'own']]) } as unknown as Parameters<typeof modelInPath>[1];
const endpoint = (value: object = {}) =>
  tinyEndpoint({
    paths: ['/models/*'],
    handler: () => async (request) => [restOfPath(request), modelInPath(request, models)],
    ...value,
  });
const endpoints = [endpoint(), endpoint({ customMethod: 'count' })];

it.each([
  ['a', ['a', 'a']],
  ['a/b', ['a/b', 'a/b']],
  ['a:latest', ['a:latest', 'a']],
  ['own:latest', ['own:latest', 'own:latest']],
  ['a:latest:count', ['a:latest', 'a']],
  ['a%2Fb:count', ['a/b', 'a/b']],
])('the model in the path /models/%s', async (path, expected) => {
  const { body } = await tinyApp(endpoints).inject(`/models/${path}`);
  expect(JSON.parse(body)).toEqual(expected);
});

it('must be a model that the key can use', async () => {
  const app = tinyApp(endpoints, { keys: lockedBook({ key: 'secret', models: ['a'] }) });
  const headers = { authorization: 'Bearer secret' };
  const statusOf = async (path: string) => (await app.inject({ url: `/models/${path}`, headers })).statusCode;
  expect([await statusOf('a:latest'), await statusOf('b:latest')]).toEqual([200, 403]);
});
