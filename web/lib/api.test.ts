import { describe, expect, it } from 'vitest';
import { openApi } from './api.ts';
import { Fault } from './fault.ts';

/** An API whose server answers so, and what it was asked and told. */
function apiWith(answer: () => Response | Promise<Response>, key?: string) {
  const asked: { path: unknown; init: RequestInit | undefined }[] = [];
  const refused: (readonly [message: string, isOrder: boolean])[] = [];
  const api = openApi({
    key,
    onRefusedKey: ({ message }, isOrder) => refused.push([message, isOrder]),
    fetch: async (path, init) => {
      asked.push({ path, init });
      return answer();
    },
  });
  return { api, asked, refused };
}

const failure = (status: number, code: string, message: string): Response =>
  new Response(JSON.stringify({ error: { message, type: 'x', param: null, code } }), { status });

describe('the API', () => {
  it('sends the key and a body', async () => {
    const { api, asked } = apiWith(() => new Response('{"object":"list"}'), 'secret');
    expect(await api.json('v1/x', { body: { a: 1 } })).toEqual({ object: 'list' });
    expect(asked).toEqual([
      {
        path: 'v1/x',
        init: {
          method: 'POST',
          headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
          body: '{"a":1}',
        },
      },
    ]);
  });

  it('sends no key where it has none', async () => {
    const { api, asked } = apiWith(() => new Response('{}'));
    await api.send('v1/models');
    expect(api.hasKey).toBe(false);
    expect(asked).toEqual([{ path: 'v1/models', init: { method: 'GET', headers: {} } }]);
  });

  it('throws what the server says, and tells of a refused key', async () => {
    const { api, refused } = apiWith(() => failure(401, 'invalid_api_key', 'No such key.'));
    const fault = new Fault('No such key.', { status: 401, code: 'invalid_api_key' });
    await expect(api.send('x')).rejects.toEqual(fault);
    await expect(api.send('x', { body: {} })).rejects.toEqual(fault);
    expect(refused).toEqual([
      ['No such key.', false],
      ['No such key.', true],
    ]);
  });

  it('does not ask for a key where a header is missing', async () => {
    const { api, refused } = apiWith(() => failure(401, 'invalid_auth', 'Send "admin".'));
    await expect(api.send('x')).rejects.toThrow('Send "admin".');
    expect(refused).toEqual([]);
  });

  it('says so where something else answers', async () => {
    const { api } = apiWith(() => new Response('<h1>Bad Gateway</h1>', { status: 502, statusText: 'Bad Gateway' }));
    await expect(api.send('x')).rejects.toThrow('The server answered 502 (Bad Gateway).');
  });

  it('says so where nobody answers', async () => {
    const { api } = apiWith(() => Promise.reject(new TypeError('fetch failed')));
    await expect(api.send('x')).rejects.toMatchObject({
      status: 0,
      message: expect.stringContaining('does not answer'),
    });
  });

  it('lets pass that somebody gave up', async () => {
    const { api } = apiWith(() => Promise.reject(new DOMException('gone', 'AbortError')));
    await expect(api.send('x')).rejects.toMatchObject({ name: 'AbortError' });
  });
});
