import { describe, expect, it } from 'vitest';
import { openApi } from './api.ts';
import { RequestError } from './request-error.ts';

/** A client whose server responds like this, with the requests it got and the refused keys. */
function apiWith(respond: () => Response | Promise<Response>, key?: string) {
  const requested: { path: unknown; init: RequestInit | undefined }[] = [];
  const refused: (readonly [message: string, isOrder: boolean])[] = [];
  const api = openApi({
    key,
    onRefusedKey: ({ message }, isOrder) => refused.push([message, isOrder]),
    fetch: async (path, init) => {
      requested.push({ path, init });
      return respond();
    },
  });
  return { api, requested, refused };
}

const failure = (status: number, code: string, message: string): Response =>
  new Response(JSON.stringify({ error: { message, type: 'x', param: null, code } }), { status });

describe('the API', () => {
  it('sends the key and a body', async () => {
    const { api, requested } = apiWith(() => new Response('{"object":"list"}'), 'secret');
    expect(await api.json('v1/x', { body: { a: 1 } })).toEqual({ object: 'list' });
    expect(requested).toEqual([
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
    const { api, requested } = apiWith(() => new Response('{}'));
    await api.send('v1/models');
    expect(api.hasKey).toBe(false);
    expect(requested).toEqual([{ path: 'v1/models', init: { method: 'GET', headers: {} } }]);
  });

  it('throws the error of the server, and reports a refused key', async () => {
    const { api, refused } = apiWith(() => failure(401, 'invalid_api_key', 'No such key.'));
    const error = new RequestError('No such key.', { status: 401, code: 'invalid_api_key' });
    await expect(api.send('x')).rejects.toEqual(error);
    await expect(api.send('x', { body: {} })).rejects.toEqual(error);
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

  it('names the status of a response that is not from Conch', async () => {
    const { api } = apiWith(() => new Response('<h1>Bad Gateway</h1>', { status: 502, statusText: 'Bad Gateway' }));
    await expect(api.send('x')).rejects.toThrow('The server returned HTTP 502 (Bad Gateway).');
  });

  it('reports an unreachable server', async () => {
    const { api } = apiWith(() => Promise.reject(new TypeError('fetch failed')));
    await expect(api.send('x')).rejects.toMatchObject({
      status: 0,
      message: expect.stringContaining('The server is unreachable.'),
    });
  });

  it('passes on that the request was aborted', async () => {
    const { api } = apiWith(() => Promise.reject(new DOMException('gone', 'AbortError')));
    await expect(api.send('x')).rejects.toMatchObject({ name: 'AbortError' });
  });
});
