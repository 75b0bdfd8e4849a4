import { readFileSync } from 'node:fs';
import OpenAI, { AuthenticationError, PermissionDeniedError, RateLimitError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin, user } from '../gateway/requests.ts';
import { directive } from '../support/exchange.ts';
import { post } from '../support/gateway.ts';
import { bearer, chatAs, errorOf, type Keyed, openaiError, secretOf, startKeyed } from './keyed.ts';

const past = '2020-01-01';
const notAllowed = (model: string) =>
  openaiError(
    'permission_error',
    'model_not_allowed',
    `This API key does not have access to the model "${model}".`,
    'model',
  );
const invalid = (message: string) => openaiError('authentication_error', 'invalid_api_key', message);

let conch: Keyed;
beforeAll(async () => {
  conch = await startKeyed(
    {
      all: {},
      toys: { models: ['vllm-toy', 'vllm-24*', 'nothing*'] },
      embedder: { models: ['vllm-embed'] },
      old: { expires: past },
      one: { concurrent: 1 },
    },
    '--api-key',
    'plain-key-of-the-flag',
    '--log-level',
    'trace',
  );
});
afterAll(() => conch.end());

const client = (name: string) => new OpenAI({ baseURL: `${conch.url}/v1`, apiKey: secretOf(name), maxRetries: 0 });
const requested = { model: 'vllm-toy', messages: [{ role: 'user' as const, content: 'hi' }], max_tokens: 5 };
const names = async (name: string, path = '/v1/models'): Promise<string[]> => {
  const response = await fetch(conch.url + path, { headers: bearer(name) });
  return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
};

describe('a key of the file', () => {
  it('opens what it is for, beside the keys of the flag', async () => {
    expect((await chatAs(conch, 'all')).status).toBe(200);
    const headers = { authorization: 'Bearer plain-key-of-the-flag' };
    expect((await post(`${conch.url}/v1/chat/completions`, requested, headers)).status).toBe(200);
    const inOther = { 'x-api-key': secretOf('all') };
    expect((await post(`${conch.url}/v1/chat/completions`, requested, inOther)).status).toBe(200);
  });

  it('is refused where it is unknown or has expired, before anything else is looked at', async () => {
    expect(errorOf(await chatAs(conch, 'nobody'))).toEqual([
      401,
      invalid('Incorrect API key provided. Check the key and try again.'),
    ]);
    const expired = await chatAs(conch, 'old', { model: 'no-such-model' });
    expect(errorOf(expired)).toEqual([401, invalid('The API key "old" has expired.')]);
    expect(expired.headers.get('www-authenticate')).toBe('Bearer');
    const both = { ...bearer('old'), 'x-api-key': secretOf('all') };
    expect((await post(`${conch.url}/v1/chat/completions`, requested, both)).status).toBe(200);
  });

  it('is told by the hash of nothing but itself', async () => {
    const { keys } = JSON.parse(readFileSync(conch.file, 'utf8')) as {
      keys: { hash: string }[];
    };
    const headers = { authorization: `Bearer ${keys[0]?.hash}` };
    expect((await post(`${conch.url}/v1/chat/completions`, requested, headers)).status).toBe(401);
  });

  it('opens its own models and says nothing of others', async () => {
    expect((await chatAs(conch, 'toys')).status).toBe(200);
    for (const model of ['vllm-llama', 'no-such-model'])
      expect(errorOf(await chatAs(conch, 'toys', { model }))).toEqual([403, notAllowed(model)]);
    expect((await chatAs(conch, 'toys', { model: 'nothing-like-it' })).status).toBe(404);
    const control = (path: string) => post(`${conch.url}/v1/models/${path}`, {}, bearer('toys'));
    for (const path of ['vllm-llama', 'no-such-model']) {
      const found = await fetch(`${conch.url}/v1/models/${path}`, { headers: bearer('toys') });
      expect([found.status, await found.json()]).toEqual([403, { error: notAllowed(path) }]);
      for (const order of ['', '/load', '/unload'])
        expect(errorOf(await control(path + order))).toEqual([403, notAllowed(path)]);
    }
    for (const order of ['/load', '/unload'])
      expect(errorOf(await control(`vllm-toy${order}`))).toMatchObject([403, { code: 'management_not_allowed' }]);
  });

  it('lists its own models alone', async () => {
    const everything = await names('all');
    expect(everything).toEqual(expect.arrayContaining(['vllm-toy', 'vllm-llama', 'vllm-embed']));
    for (const path of ['/v1/models', '/models'])
      expect(await names('toys', path)).toEqual(everything.filter((name) => /^vllm-(toy|24.*)$/.test(name)));
  });

  it('is held to its models by every API', async () => {
    const input = 'x';
    const bodies: [string, object][] = [
      ['/v1/completions', { prompt: 'x' }],
      ['/v1/responses', { input }],
      ['/v1/responses', { input, background: true }],
      ['/v1/responses/input_tokens', { input }],
      ['/tokenize', { prompt: 'x' }],
      ['/v1/detokenize', { tokens: [1] }],
      ['/apply-template', { messages: user('x') }],
      ['/v1/embeddings', { input }],
      ['/v1/rerank', { query: 'x', documents: ['y'] }],
    ];
    for (const [path, body] of bodies) {
      const response = await post(`${conch.url}${path}`, { model: 'vllm-llama', ...body }, bearer('embedder'));
      expect([path, ...errorOf(response)]).toEqual([path, 403, notAllowed('vllm-llama')]);
    }
    const vectors = await post(`${conch.url}/v1/embeddings`, { model: 'vllm-embed', input }, bearer('embedder'));
    expect(vectors.status).toBe(200);
  });

  it("is refused in Anthropic's shape where one of its clients asks", async () => {
    const ask = (name: string, model: string) =>
      post(`${conch.url}/v1/messages`, { model, messages: user('x'), max_tokens: 5 }, { 'x-api-key': secretOf(name) });
    const denied = await ask('toys', 'vllm-llama');
    expect([denied.status, denied.body]).toEqual([
      403,
      {
        type: 'error',
        error: { type: 'permission_error', message: 'This API key does not have access to the model "vllm-llama".' },
        request_id: denied.headers.get('x-request-id'),
      },
    ]);
    expect((await ask('old', 'vllm-toy')).body).toMatchObject({
      error: { type: 'authentication_error', message: 'The API key "old" has expired.' },
    });
  });

  it("is refused with the errors of OpenAI's own client", async () => {
    await expect(client('nobody').chat.completions.create(requested)).rejects.toThrow(AuthenticationError);
    await expect(client('old').chat.completions.create(requested)).rejects.toThrow('The API key "old" has expired.');
    await expect(client('toys').chat.completions.create({ ...requested, model: 'vllm-llama' })).rejects.toThrow(
      PermissionDeniedError,
    );
  });

  it('has so many requests running at a time as it may', async () => {
    const tag = 'keys-concurrent';
    const content = directive({ tag, tokens: 3, hold_at: 1 });
    const body = { model: 'vllm-toy', messages: user(content), stream: true };
    const running = begin(`${conch.url}/v1/chat/completions`, body, bearer('one'));
    await running.until(' w1');
    const refused = await chatAs(conch, 'one');
    expect(errorOf(refused)).toEqual([
      429,
      openaiError(
        'rate_limit_error',
        'rate_limit_exceeded',
        'Concurrency limit reached for the API key "one": 1 running request. Wait until one ends.',
      ),
    ]);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    await expect(client('one').chat.completions.create(requested)).rejects.toThrow(RateLimitError);
    expect((await chatAs(conch, 'all')).status).toBe(200);
    expect(await names('one')).toContain('vllm-toy');
    await post(
      `${conch.url}/v1/completions`,
      { model: 'vllm-toy', prompt: directive({ release: tag }) },
      bearer('all'),
    );
    await running.whole();
    expect((await chatAs(conch, 'one')).status).toBe(200);
  });

  it('has its name, and nothing else of it, in the log', async () => {
    const response = await chatAs(conch, 'all');
    const line = await conch.logged(({ reqId }) => reqId === response.headers.get('x-request-id'));
    expect(line).toMatchObject({ key: 'all', model: 'vllm-toy', status: 200 });
    const flagged = await post(`${conch.url}/v1/chat/completions`, requested, {
      authorization: 'Bearer plain-key-of-the-flag',
    });
    const other = await conch.logged(({ reqId }) => reqId === flagged.headers.get('x-request-id'));
    expect(other).toMatchObject({ key: 'api-key-1' });
    const log = JSON.stringify(conch.log());
    expect(log).not.toContain('secret-of-');
    expect(log).not.toContain('plain-key-of');
  });
});

it('is not needed for health', async () => {
  for (const path of ['/health/live', '/health/ready', '/v1/health/ready'])
    expect((await fetch(conch.url + path)).status).toBe(200);
});
