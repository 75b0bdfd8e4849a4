import { beforeAll, describe, expect, inject, it } from 'vitest';
import { startConch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, sharedGateway } from '../support/gateway.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { user } from './requests.ts';

let conch: SharedConch;
beforeAll(async () => {
  conch = await sharedGateway();
});

const chat = (content: string, body: object) =>
  post(`${conch.url}/v1/chat/completions`, { model: 'vllm-toy', messages: user(content), logprobs: true, ...body });
const complete = (prompt: string, body: object) =>
  post(`${conch.url}/v1/completions`, { model: 'vllm-toy', prompt, ...body });

interface Entry {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: number[] | null;
  readonly top_logprobs: Omit<Entry, 'top_logprobs'>[];
}

const entry = (token: string, logprob = -0.5) => ({ token, logprob, bytes: [...Buffer.from(token)] });
const chosen = (token: string, ...others: ReturnType<typeof entry>[]) => ({
  ...entry(token),
  top_logprobs: others.length > 0 ? [entry(token), ...others] : [],
});
const contentOf = (body: Record<string, unknown>): Entry[] =>
  (body['choices'] as { logprobs: { content: Entry[] } }[])[0]?.logprobs.content ?? [];

describe('logprobs of a chat', () => {
  it('name each token with its bytes, and no others unless asked', async () => {
    const { body } = await chat(directive({ answer: 'one two' }), {});
    expect(body).toMatchObject({
      choices: [{ logprobs: { content: [chosen('one'), chosen(' two'), chosen('<|im_end|>')], refusal: null } }],
    });
  });

  it('have the best alternatives in order, the chosen token among them', async () => {
    const { body } = await chat(directive({ answer: 'one two' }), { top_logprobs: 2 });
    expect(contentOf(body)).toEqual([
      chosen('one', entry(' fabulous', -1.45)),
      chosen(' two', entry(' Initially', -1.45)),
      chosen('<|im_end|>', entry('sr', -1.45)),
    ]);
  });

  it('leave a chosen token that is not among the best out of them', async () => {
    const { body } = await chat(directive({ tokens: 40 }), { top_logprobs: 3 });
    const content = contentOf(body);
    expect(content).toHaveLength(41);
    const better = content.filter(({ logprob }) => logprob < -0.5 - 2.5 * 0.95);
    expect(better.length).toBeGreaterThan(0);
    for (const { top_logprobs: top, token, logprob } of content) {
      expect(top.map((one) => one.logprob)).toEqual([-0.5, -1.45, -2.4]);
      expect(top.some((one) => one.token === token && one.logprob === logprob)).toBe(logprob >= -2.4);
    }
  });

  it('stand on the chunk of their token in a stream, a part of a character with its bytes', async () => {
    const { text } = await chat(directive({ answer: 'a‍b' }), { stream: true });
    const choices = eventsOf(text).flatMap((event) => (event === '[DONE]' ? [] : (event as { choices: [] }).choices));
    const part = (token: string, bytes: number[]) => ({ token, logprob: -0.5, bytes, top_logprobs: [] });
    const step = (content: string, token: object) => ({
      index: 0,
      delta: { content },
      logprobs: { content: [token], refusal: null },
      finish_reason: null,
    });
    expect(choices).toEqual([
      { index: 0, delta: { role: 'assistant', content: '', refusal: null }, logprobs: null, finish_reason: null },
      step('a', chosen('a')),
      step('', part('\\xe2\\x80', [0xe2, 0x80])),
      step('‍', part('\\x8d', [0x8d])),
      step('b', chosen('b')),
      step('', chosen('<|im_end|>')),
      { index: 0, delta: {}, logprobs: null, finish_reason: 'stop' },
    ]);
  });

  it('name tokens by their ids when asked', async () => {
    const { body } = await chat(directive({ answer: 'one two' }), { return_tokens_as_token_ids: true });
    expect(contentOf(body).map(({ token }) => token)).toEqual(['token_id:603', 'token_id:1378', 'token_id:151645']);
  });
});

describe('logprobs of a completion', () => {
  const expected = {
    tokens: ['one', ' two', '<|im_end|>'],
    token_logprobs: [-0.5, -0.5, -0.5],
    top_logprobs: [
      { one: -0.5, ' fabulous': -1.45 },
      { ' two': -0.5, ' Initially': -1.45 },
      { '<|im_end|>': -0.5, sr: -1.45 },
    ],
    text_offset: [0, 3, 7],
  };

  it('are four lists', async () => {
    const { body } = await complete(directive({ answer: 'one two' }), { logprobs: 2 });
    expect(body['choices']).toEqual([{ index: 0, text: 'one two', logprobs: expected, finish_reason: 'stop' }]);
  });

  it('hold the chosen token beside the best', async () => {
    const { body } = await complete(directive({ tokens: 40 }), { logprobs: 1 });
    const [{ logprobs }] = body['choices'] as [{ logprobs: typeof expected }];
    const sizes = logprobs.top_logprobs.map((top) => Object.keys(top).length);
    expect(new Set(sizes)).toEqual(new Set([1, 2]));
    logprobs.tokens.forEach((token, at) =>
      expect(logprobs.top_logprobs[at]).toHaveProperty([token], logprobs.token_logprobs[at]),
    );
  });

  it('count on from chunk to chunk in a stream', async () => {
    const { text } = await complete(directive({ answer: 'one two' }), { logprobs: 0, stream: true });
    const choices = eventsOf(text).flatMap((event) => (event === '[DONE]' ? [] : (event as { choices: [] }).choices));
    const step = (piece: string, token: string, offset: number) => ({
      index: 0,
      text: piece,
      logprobs: { tokens: [token], token_logprobs: [-0.5], top_logprobs: [{ [token]: -0.5 }], text_offset: [offset] },
      finish_reason: null,
    });
    expect(choices).toEqual([
      step('one', 'one', 0),
      step(' two', ' two', 3),
      step('', '<|im_end|>', 7),
      { index: 0, text: '', logprobs: null, finish_reason: 'stop' },
    ]);
  });

  it('name a part of a character by its bytes, at the offset of the character', async () => {
    const parts = ['a', 'bytes:\\xe2\\x80', 'bytes:\\x8d', 'b', '<|im_end|>'];
    const { body } = await complete(directive({ answer: 'a\u200db' }), { logprobs: 0 });
    expect(body['choices']).toEqual([
      {
        index: 0,
        text: 'a\u200db',
        logprobs: {
          tokens: parts,
          token_logprobs: parts.map(() => -0.5),
          top_logprobs: parts.map((token) => ({ [token]: -0.5 })),
          text_offset: [0, 1, 1, 2, 3],
        },
        finish_reason: 'stop',
      },
    ]);
  });

  it('have U+FFFD where the model has no tokenizer here', async () => {
    const bare = await startConch({ flags: ['--triton', `127.0.0.1:${inject('triton').grpcPort}`] });
    const request = { model: 'vllm-toy', prompt: directive({ answer: 'a\u200db' }), logprobs: 0 };
    const { body } = await post(`${bare.url}/v1/completions`, request);
    await bare.stop();
    const [{ logprobs }] = body['choices'] as [{ logprobs: typeof expected }];
    expect(logprobs.tokens).toEqual(['a', '\ufffd', '\ufffd', 'b', '<|im_end|>']);
  });
});
