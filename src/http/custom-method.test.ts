import { describe, expect, it } from 'vitest';
import { tinyApp, tinyEndpoint } from '../../test/support/tiny-app.ts';
import { countingRecorder } from '../request-watch.ts';
import { splitMethod } from './custom-method.ts';

const named = (name: string, own: object) =>
  tinyEndpoint({ paths: ['/models/*'], handler: () => async (request) => [name, request.params], ...own });

const endpoints = [
  named('describe', { methods: ['GET', 'POST'] }),
  named('run', { methods: ['POST'], customMethod: 'run' }),
  named('count', { methods: ['POST'], customMethod: 'count' }),
];

describe('a custom method', () => {
  it.each([
    ['POST', '/models/a:run', 'run'],
    ['POST', '/models/a/b:c:count?key=x:run', 'count'],
    ['POST', '/models/a%3Arun/', 'run'],
    ['POST', '/models/a:other', 'describe'],
    ['POST', '/models/a', 'describe'],
    ['GET', '/models/a:run', 'describe'],
  ] as const)('selects the endpoint of %s %s: %s', async (method, url, name) => {
    const { statusCode, body } = await tinyApp(endpoints).inject({ method, url });
    expect([statusCode, JSON.parse(body)[0]]).toEqual([200, name]);
  });

  it('is a part of the route in records', async () => {
    const routes: (string | undefined)[] = [];
    const record: typeof countingRecorder = (facts) => {
      routes.push(facts.route);
      return countingRecorder(facts);
    };
    const app = tinyApp(endpoints, { record });
    for (const url of ['/models/a:run', '/models/b:count', '/models/c']) await app.inject({ method: 'POST', url });
    expect(routes).toEqual(['/models/*:run', '/models/*:count', '/models/*']);
  });

  it('has its own methods in a 405', async () => {
    const app = tinyApp([named('run', { methods: ['POST'], customMethod: 'run' })]);
    const wrong = await app.inject({ method: 'DELETE', url: '/models/a:run' });
    expect([wrong.statusCode, wrong.headers['allow']]).toEqual([405, 'POST']);
    expect((await app.inject({ method: 'POST', url: '/models/a:walk' })).statusCode).toBe(404);
  });
});

it.each([
  ['a:run', { rest: 'a', method: 'run' }],
  ['a/b:c:run/', { rest: 'a/b:c', method: 'run' }],
  ['a', { rest: 'a', method: undefined }],
  ['a:run2', { rest: 'a:run2', method: undefined }],
])('splitMethod splits %s', (path, expected) => {
  expect(splitMethod(path)).toEqual(expected);
});
