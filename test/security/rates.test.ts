import OpenAI, { RateLimitError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin, user } from '../gateway/requests.ts';
import { directive } from '../support/exchange.ts';
import { post, type Response } from '../support/gateway.ts';
import { bearer, chatAs, errorOf, type Keyed, openaiError, secretOf, startKeyed } from './keyed.ts';

// Limits are low and a minute is long: what is used up stays so for longer than a test takes.
const few = { requests_per_minute: 2 };
const little = { tokens_per_minute: 50 };

let conch: Keyed;
beforeAll(async () => {
  const keys = Object.fromEntries([
    ...['few', 'body', 'get', 'client', 'vectors', 'gemini'].map((name) => [name, few]),
    ...['little', 'stream', 'leaver', 'failing', 'behind', 'gemini-tokens'].map((name) => [name, little]),
    ['embedding', { tokens_per_minute: 5 }],
    ['both', { requests_per_minute: 100, tokens_per_minute: 1000 }],
    ['free', {}],
  ]) as Record<string, object>;
  conch = await startKeyed(keys);
});
afterAll(() => conch.end());

/** The headers that say how the limits stand; times are left to the pattern. */
function limitsOf({ headers }: Pick<Response, 'headers'>): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-ratelimit-')));
}

const usedUp = (name: string, limit: string) =>
  openaiError(
    'rate_limit_error',
    'rate_limit_exceeded',
    expect.stringMatching(
      new RegExp(`^Rate limit reached for the API key "${name}": ${limit} per minute\\. Try again in \\d+s\\.$`),
    ) as string,
  );
const gemini = (text: string) => ({ contents: [{ parts: [{ text }] }] });
const total = (response: Response) => (response.body['usage'] as { total_tokens: number }).total_tokens;

describe('requests per minute', () => {
  it('are counted, told in every answer, and refused beyond', async () => {
    const [first, second, third] = [await chatAs(conch, 'few'), await chatAs(conch, 'few'), await chatAs(conch, 'few')];
    expect([first.status, limitsOf(first)]).toEqual([
      200,
      {
        'x-ratelimit-limit-requests': '2',
        'x-ratelimit-remaining-requests': '1',
        'x-ratelimit-reset-requests': '30s',
      },
    ]);
    expect(limitsOf(second)).toMatchObject({ 'x-ratelimit-remaining-requests': '0' });
    expect(errorOf(third)).toEqual([429, usedUp('few', '2 requests')]);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(limitsOf(third)).toMatchObject({ 'x-ratelimit-remaining-requests': '0' });
    expect((await chatAs(conch, 'free')).status).toBe(200);
    expect(limitsOf(await chatAs(conch, 'free'))).toEqual({});
  });

  it('are told in the head of a stream too', async () => {
    const response = await chatAs(conch, 'both', { stream: true });
    expect(limitsOf(response)).toEqual({
      'x-ratelimit-limit-requests': '100',
      'x-ratelimit-remaining-requests': '99',
      'x-ratelimit-reset-requests': '600ms',
      'x-ratelimit-limit-tokens': '1000',
      'x-ratelimit-remaining-tokens': '1000',
      'x-ratelimit-reset-tokens': '0ms',
    });
  });

  it('count what is wrong with a request, for it is counted before its body is read', async () => {
    const send = () => post(`${conch.url}/v1/chat/completions`, '{', bearer('body'));
    expect([(await send()).status, (await send()).status, (await send()).status]).toEqual([400, 400, 429]);
  });

  it('do not count the list of models', async () => {
    for (let tries = 0; tries < 5; tries++)
      expect((await fetch(`${conch.url}/v1/models`, { headers: bearer('get') })).status).toBe(200);
  });

  it('are those of the Gemini API too, in its own shape', async () => {
    const headers = { 'x-goog-api-key': secretOf('gemini') };
    const send = () => post(`${conch.url}/v1beta/models/vllm-toy:generateContent`, gemini('Hello'), headers);
    const [first, second, third] = [await send(), await send(), await send()];
    expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
    expect(limitsOf(first)).toMatchObject({ 'x-ratelimit-remaining-requests': '1' });
    expect(third.body.error).toMatchObject({
      code: 429,
      status: 'RESOURCE_EXHAUSTED',
      message: expect.stringMatching(/^Rate limit reached for the API key "gemini": 2 requests per minute\. Try again/),
    });
    const models = await fetch(`${conch.url}/v1beta/models`, { headers });
    expect(models.status).toBe(200);
  });

  it('are those of embeddings too', async () => {
    const send = () => post(`${conch.url}/v1/embeddings`, { model: 'vllm-embed', input: 'a' }, bearer('vectors'));
    expect([(await send()).status, (await send()).status, (await send()).status]).toEqual([200, 200, 429]);
  });

  it("are a RateLimitError of OpenAI's own client, which waits and tries again by itself", async () => {
    const client = new OpenAI({ baseURL: `${conch.url}/v1`, apiKey: secretOf('client'), maxRetries: 0 });
    const ask = () => client.chat.completions.create({ model: 'vllm-toy', messages: [{ role: 'user', content: 'x' }] });
    await ask();
    await ask();
    await expect(ask()).rejects.toThrow(RateLimitError);
  });
});

describe('tokens per minute', () => {
  it('are charged for prompt and answer, and refused once nothing is left', async () => {
    const first = await chatAs(conch, 'little', { content: directive({ tokens: 60 }), max_tokens: 60 });
    expect(limitsOf(first)).toMatchObject({
      'x-ratelimit-limit-tokens': '50',
      'x-ratelimit-remaining-tokens': '50',
    });
    expect(total(first)).toBeGreaterThan(50);
    const second = await chatAs(conch, 'little');
    expect(errorOf(second)).toEqual([429, usedUp('little', '50 tokens')]);
    // All that is missing must come back before there is something again.
    const missing = total(first) - 50 + 1;
    const retryAfter = Number(second.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(Math.ceil((missing * 60) / 50));
    expect(limitsOf(second)).toMatchObject({ 'x-ratelimit-remaining-tokens': '0' });
  });

  it('are charged for a stream', async () => {
    const response = await chatAs(conch, 'stream', {
      content: directive({ tokens: 40 }),
      max_tokens: 40,
      stream: true,
    });
    expect(response.status).toBe(200);
    expect((await chatAs(conch, 'stream')).status).toBe(429);
  });

  it('are charged for a stream of the Gemini API', async () => {
    const url = `${conch.url}/v1beta/models/vllm-toy:streamGenerateContent?alt=sse`;
    const send = () => post(url, gemini(directive({ tokens: 60 })), bearer('gemini-tokens'));
    expect([(await send()).status, (await send()).status]).toEqual([200, 429]);
  });

  it('are charged for what a client that left has taken', async () => {
    const tag = 'rates-leaver';
    const content = directive({ tag, tokens: 60, hold_at: 45 });
    const body = { model: 'vllm-toy', messages: user(content), stream: true };
    const { until, leave } = begin(`${conch.url}/v1/chat/completions`, body, bearer('leaver'));
    await until(' w44');
    await leave();
    const stranger = bearer('free');
    const prompt = directive({ count_of: tag, until: 'cancelled' });
    await post(`${conch.url}/v1/completions`, { model: 'vllm-toy', prompt, max_tokens: 100 }, stranger);
    await conch.logged(({ key, status }) => key === 'leaver' && status === 499);
    expect((await chatAs(conch, 'leaver')).status).toBe(429);
  });

  it('are charged for what a request took that failed', async () => {
    const content = directive({ tokens: 60, error_at: 45 });
    const failed = await chatAs(conch, 'failing', { content, max_tokens: 60 });
    expect(failed.status).toBe(502);
    expect((await chatAs(conch, 'failing')).status).toBe(429);
  });

  it('are charged for a response in the background once it is made', async () => {
    const input = directive({ tokens: 60 });
    const headers = bearer('behind');
    const made = await post(
      `${conch.url}/v1/responses`,
      { model: 'vllm-toy', input, background: true, stream: true },
      headers,
    );
    expect(made.text).toContain('response.completed');
    const [, id = ''] = /"id":"(resp_[^"]+)"/.exec(made.text) ?? [];
    expect(errorOf(await chatAs(conch, 'behind'))).toEqual([429, usedUp('behind', '50 tokens')]);
    // To look at it, and to delete it, runs no model.
    const stored = `${conch.url}/v1/responses/${id}`;
    expect((await fetch(stored, { headers })).status).toBe(200);
    expect((await fetch(stored, { headers, method: 'DELETE' })).status).toBe(200);
  });

  it('are charged for embeddings', async () => {
    const send = (input: string) =>
      post(`${conch.url}/v1/embeddings`, { model: 'vllm-embed', input }, bearer('embedding'));
    expect((await send('one two three four five six seven eight nine ten')).status).toBe(200);
    expect(errorOf(await send('one'))).toEqual([429, usedUp('embedding', '5 tokens')]);
  });
});
