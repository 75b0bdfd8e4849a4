import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { startGateway } from '../support/gateway.ts';
import { begin, countOf, release, user } from './requests.ts';

let conch: Conch;
beforeAll(async () => {
  conch = await startGateway();
});
afterAll(() => conch.stop());

const chat = '/v1/chat/completions';
const full = 2000;

const start = (path: string, body: object, id: string) =>
  begin(conch.url + path, { model: 'vllm-toy', ...body }, { 'x-request-id': id });
const logged = (id: string) => conch.logged(({ reqId, status }) => reqId === id && status !== undefined);
const leaver = (id: string, path: string) => ({
  level: 'warn',
  time: expect.any(String),
  reqId: id,
  method: 'POST',
  path,
  status: 499,
  ms: expect.any(Number),
  model: 'vllm-toy',
  message: 'client disconnected',
});

describe('a client that leaves', () => {
  it('in the middle of a stream cancels the generation', async () => {
    const messages = user(directive({ tokens: full, hold_at: 5, tag: 'streamed' }));
    const { until, leave } = start(chat, { messages, stream: true }, 'streamed');
    await until(' w5"');
    expect(await countOf(conch.url, 'streamed', { until: 'held' })).toEqual({ tokens: 5, state: 'held' });
    await leave();
    expect(await countOf(conch.url, 'streamed', { until: 'cancelled' })).toEqual({ tokens: 6, state: 'cancelled' });
    expect(await logged('streamed')).toMatchObject(leaver('streamed', chat));
  });

  it('while it waits for an unstreamed answer cancels the generation', async () => {
    const messages = user(directive({ tokens: full, hold_at: 5, tag: 'unstreamed' }));
    const { leave } = start(chat, { messages }, 'unstreamed');
    expect(await countOf(conch.url, 'unstreamed', { until: 'held' })).toEqual({ tokens: 5, state: 'held' });
    await leave();
    expect(await countOf(conch.url, 'unstreamed', { until: 'cancelled' })).toEqual({ tokens: 6, state: 'cancelled' });
    expect(await logged('unstreamed')).toMatchObject(leaver('unstreamed', chat));
  });

  it.each([true, false])('before the first token cancels the generation (stream %s)', async (stream) => {
    const tag = `first token, stream ${stream}`;
    const id = `first-${stream}`;
    const { leave } = start(chat, { messages: user(directive({ tokens: full, hold_at: 0, tag })), stream }, id);
    expect(await countOf(conch.url, tag, { until: 'held' })).toEqual({ tokens: 0, state: 'held' });
    await leave();
    expect(await countOf(conch.url, tag, { until: 'cancelled' })).toEqual({ tokens: 1, state: 'cancelled' });
    expect(await logged(id)).toMatchObject(leaver(id, chat));
  });

  it.each([true, false])('cancels every choice (stream %s)', async (stream) => {
    const tags = ['a', 'b'].map((letter) => `choice ${letter}, stream ${stream}`);
    const prompt = tags.map((tag) => directive({ tokens: full, hold_at: 3, tag }));
    const id = `choices-${stream}`;
    const { leave } = start('/v1/completions', { prompt, n: 2, stream }, id);
    for (const tag of tags) expect(await countOf(conch.url, tag, { until: 'held' })).toMatchObject({ state: 'held' });
    await leave();
    for (const tag of tags)
      expect(await countOf(conch.url, tag, { until: 'cancelled' })).toEqual({ tokens: 4, state: 'cancelled' });
    expect(await logged(id)).toMatchObject(leaver(id, '/v1/completions'));
  });

  it('cancels every candidate of best_of', async () => {
    const prompt = directive({ tokens: full, hold_at: 3, tag: 'candidate' });
    const { leave } = start('/v1/completions', { prompt, best_of: 3 }, 'candidates');
    expect(await countOf(conch.url, 'candidate', { until: 'held' })).toMatchObject({ state: 'held' });
    await leave();
    expect(await countOf(conch.url, 'candidate', { until: 'cancelled' })).toMatchObject({ state: 'cancelled' });
  });

  it.each([
    ['/v1/responses', (prompt: string) => ({ input: prompt, stream: true, store: false }), '"delta":" w5"'],
    ['/v1/messages', (prompt: string) => ({ messages: user(prompt), max_tokens: full, stream: true }), '"text":" w5"'],
    [
      '/v1beta/models/vllm-toy:streamGenerateContent?alt=sse',
      (prompt: string) => ({ contents: [{ parts: [{ text: prompt }] }] }),
      '"text":" w5"',
    ],
  ])('of another API cancels the generation: %s', async (path, bodyOf, fifth) => {
    const { until, leave } = start(path, bodyOf(directive({ tokens: full, hold_at: 5, tag: path })), 'api');
    await until(fifth);
    expect(await countOf(conch.url, path, { until: 'held' })).toEqual({ tokens: 5, state: 'held' });
    await leave();
    expect(await countOf(conch.url, path, { until: 'cancelled' })).toEqual({ tokens: 6, state: 'cancelled' });
  });

  it('takes nobody else along', async () => {
    const messages = (tag: string) => user(directive({ tokens: 9, hold_at: 3, tag }));
    const stays = start(chat, { messages: messages('stays') }, 'stays');
    const leaves = start(chat, { messages: messages('leaves') }, 'leaves');
    for (const tag of ['stays', 'leaves'])
      expect(await countOf(conch.url, tag, { until: 'held' })).toMatchObject({ state: 'held' });
    await leaves.leave();
    expect(await countOf(conch.url, 'leaves', { until: 'cancelled' })).toMatchObject({ state: 'cancelled' });
    expect(await countOf(conch.url, 'stays')).toEqual({ tokens: 3, state: 'held' });
    await release(conch.url, 'stays');
    expect(JSON.parse(await stays.whole())).toMatchObject({
      choices: [{ message: { content: ' w1 w2 w3 w4 w5 w6 w7 w8 w9' }, finish_reason: 'stop' }],
    });
  });
});
