import { beforeAll, describe, expect, it } from 'vitest';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, sharedGateway } from '../support/gateway.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { begin, receivedFor, release, streamedChoices, textsOf, user } from './requests.ts';

let conch: SharedConch;
beforeAll(async () => {
  conch = await sharedGateway();
});

const chat = (content: string, body: object = {}) =>
  post(`${conch.url}/v1/chat/completions`, { model: 'vllm-toy', messages: user(content), ...body });

const chunkHead = {
  id: expect.stringMatching(/^chatcmpl-[0-9A-Za-z]{29,32}$/),
  object: 'chat.completion.chunk',
  created: expect.any(Number),
  model: 'vllm-toy',
  system_fingerprint: expect.stringMatching(/^fp_[0-9a-f]{10}$/),
};
const chunk = (delta: object, reason: string | null = null, index = 0) => ({
  ...chunkHead,
  choices: [{ index, delta, logprobs: null, finish_reason: reason }],
});
const opening = { role: 'assistant', content: '', refusal: null };

describe('POST /v1/chat/completions', () => {
  it('answers in full with the true finish reason and exact usage', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { status, body } = await chat(directive({ answer: 'one two' }));
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9A-Za-z]{29,32}$/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'vllm-toy',
      system_fingerprint: expect.stringMatching(/^fp_[0-9a-f]{10}$/),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'one two', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 16, completion_tokens: 3, total_tokens: 19 },
    });
    expect(body['created']).toBeGreaterThanOrEqual(before);
    expect(body['created']).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
  });

  it('streams the role first, then the text as it comes, then the reason', async () => {
    const { status, headers, text } = await chat(directive({ answer: 'one two' }), { stream: true });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache');
    const events = eventsOf(text);
    expect(events).toEqual([
      chunk(opening),
      chunk({ content: 'one' }),
      chunk({ content: ' two' }),
      chunk({}, 'stop'),
      '[DONE]',
    ]);
    const ids = events.slice(0, -1).map((event) => (event as { id: string }).id);
    expect(new Set(ids).size).toBe(1);
  });

  it('gives each answer an id of its own, and one fingerprint to all answers of a model', async () => {
    const bodies = await Promise.all([chat('a'), chat('b'), chat('c', { model: 'vllm-llama' })]);
    const [first, second, other] = bodies.map(({ body }) => body);
    expect(first?.['id']).not.toBe(second?.['id']);
    expect(first?.['system_fingerprint']).toBe(second?.['system_fingerprint']);
    expect(first?.['system_fingerprint']).not.toBe(other?.['system_fingerprint']);
  });

  it('repeats the service tier only when one was named', async () => {
    const { body } = await chat('a', { service_tier: 'auto' });
    expect(body['service_tier']).toBe('default');
    expect((await chat('a')).body).not.toHaveProperty('service_tier');
  });
});

describe('the length of an answer', () => {
  it('is whatever the context has room for when the request does not say', async () => {
    const { body } = await chat(directive({ tokens: 3000 }));
    expect(body).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: { completion_tokens: 3001 } });
  });

  it('ends with the reason length where the context of the engine ends', async () => {
    const { body } = await chat(directive({ tokens: 3000, context: 100 }));
    const { prompt_tokens: prompt } = body['usage'] as { prompt_tokens: number };
    expect(body).toMatchObject({ choices: [{ finish_reason: 'length' }], usage: { completion_tokens: 100 - prompt } });
  });

  it.each([{ max_tokens: 2 }, { max_completion_tokens: 2 }])('is at most %j', async (limit) => {
    const { body } = await chat(directive({ answer: 'one two three' }), limit);
    expect(body).toMatchObject({
      choices: [{ message: { content: 'one two' }, finish_reason: 'length' }],
      usage: { completion_tokens: 2 },
    });
    const streamed = await chat(directive({ answer: 'one two three' }), { ...limit, stream: true });
    expect(streamedChoices(streamed)).toEqual([{ text: 'one two', reasons: ['length'] }]);
  });

  it('has the reason stop when the end comes with the last token that is allowed', async () => {
    const { body } = await chat(directive({ answer: 'one two' }), { max_tokens: 3 });
    expect(body).toMatchObject({ choices: [{ message: { content: 'one two' }, finish_reason: 'stop' }] });
  });
});

describe('stop texts', () => {
  const response = directive({ answer: 'one two three four five' });
  const many = Array.from({ length: 15 }, (_, number) => `never ${number}`);

  it.each([
    [' three f', 'one two'],
    ['ree', 'one two th'],
    [['five', 'wo th'], 'one t'],
    [['zzz', 'one'], ''],
    [[...many, 'r five'], 'one two three fou'],
    [['zzz'], 'one two three four five'],
  ])('%j ends the text before it, across the borders of tokens', async (stop, expected) => {
    const { body } = await chat(response, { stop });
    expect(body).toMatchObject({ choices: [{ message: { content: expected }, finish_reason: 'stop' }] });
    const streamed = await chat(response, { stop, stream: true });
    expect(streamedChoices(streamed)).toEqual([{ text: expected, reasons: ['stop'] }]);
  });

  it('stay in the text when the request wants them', async () => {
    const { body } = await chat(response, { stop: ['ree'], include_stop_str_in_output: true });
    expect(body).toMatchObject({ choices: [{ message: { content: 'one two three' }, finish_reason: 'stop' }] });
  });

  it('may be sixteen and not more', async () => {
    const { status, body } = await chat(response, { stop: [...many, 'a', 'b'] });
    expect([status, body]).toEqual([
      400,
      {
        error: {
          message: 'stop: must have at most 16 entries (--max-stop-strings), not 17.',
          type: 'invalid_request_error',
          param: 'stop',
          code: 'invalid_request',
        },
      },
    ]);
  });
});

describe('several choices', () => {
  const numbered = (seed: number, remark: string) =>
    `You said "hello there". This is answer number ${seed}, and I think that ${remark}, word by word by word.`;
  const expected = [
    numbered(1, 'let us look at it again'),
    numbered(2, 'there is more to it'),
    numbered(3, 'that is all I know'),
  ];

  it('come in one answer, each with a seed of its own', async () => {
    const { body } = await chat('hello there', { n: 3, seed: 1 });
    expect(body['choices']).toEqual(
      expected.map((content, index) => ({
        index,
        message: { role: 'assistant', content, refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      })),
    );
    const one = await chat('hello there', { seed: 1 });
    const { prompt_tokens: prompt } = one.body['usage'] as { prompt_tokens: number };
    expect(body['usage']).toEqual({ prompt_tokens: prompt, completion_tokens: 91, total_tokens: prompt + 91 });
  });

  it('are sent to the model as requests of one choice', async () => {
    const response = await chat(directive({ echo_ids: true }), { n: 2, seed: 5, model: 'vllm-llama' });
    expect(new Set(textsOf(response)).size).toBe(1);
    const plain = await post(`${conch.url}/v1/completions`, {
      model: 'vllm-toy',
      prompt: directive({ echo_parameters: true }),
      n: 3,
      seed: 5,
    });
    expect(receivedFor(plain).map(({ sampling_parameters: sampling }) => sampling)).toEqual(
      [5, 6, 7].map((seed) => ({ max_tokens: 131072, seed })),
    );
  });

  it('are streamed as they come, each opened, complete and finished once', async () => {
    const streamed = await chat('hello there', {
      n: 3,
      seed: 1,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(streamedChoices(streamed)).toEqual(expected.map((text) => ({ text, reasons: ['stop'] })));
    const events = eventsOf(streamed.text) as { choices: { index: number; delta: object }[]; usage: unknown }[];
    expect(events.slice(0, 3).map(({ choices }) => choices)).toEqual(
      [0, 1, 2].map((index) => [{ index, delta: opening, logprobs: null, finish_reason: null }]),
    );
    expect(events.at(-2)).toMatchObject({ choices: [], usage: { completion_tokens: 91 } });
  });

  it('do not wait for each other', async () => {
    const prompt = [directive({ tokens: 3, hold_at: 1, tag: 'slow choice' }), directive({ answer: 'quick' })];
    const { until, whole } = begin(`${conch.url}/v1/completions`, { model: 'vllm-toy', prompt, stream: true });
    await until('"index":1,"text":"","logprobs":null,"finish_reason":"stop"');
    await release(conch.url, 'slow choice');
    expect(streamedChoices({ text: await whole() })).toEqual([
      { text: ' w1 w2 w3', reasons: ['stop'] },
      { text: 'quick', reasons: ['stop'] },
    ]);
  });
});

describe('text of several bytes', () => {
  it.each(['a👩‍🚀b 日本語 🏴‍☠️ 𠜎 é', '…—„“', '👍🏽👍🏽'])('%s arrives whole, streamed or not', async (response) => {
    const { body } = await chat(directive({ answer: response }));
    expect(body).toMatchObject({ choices: [{ message: { content: response } }] });
    const streamed = await chat(directive({ answer: response }), { stream: true });
    expect(streamedChoices(streamed)).toEqual([{ text: response, reasons: ['stop'] }]);
    expect(streamed.text).not.toContain('\ufffd');
  });
});

describe('stream_options', () => {
  const stream = (options: object) => chat(directive({ answer: 'one two' }), { stream: true, stream_options: options });
  const usage = (completion: number) => ({
    prompt_tokens: 16,
    completion_tokens: completion,
    total_tokens: 16 + completion,
  });

  it('include_usage adds a last chunk with the usage, and null to all others', async () => {
    const { text } = await stream({ include_usage: true });
    expect(eventsOf(text)).toEqual([
      { ...chunk(opening), usage: null },
      { ...chunk({ content: 'one' }), usage: null },
      { ...chunk({ content: ' two' }), usage: null },
      { ...chunk({}, 'stop'), usage: null },
      { ...chunkHead, choices: [], usage: usage(3) },
      '[DONE]',
    ]);
  });

  it('continuous_usage_stats tells the usage so far on every chunk', async () => {
    const { text } = await stream({ include_usage: true, continuous_usage_stats: true });
    expect(eventsOf(text)).toEqual([
      { ...chunk(opening), usage: usage(0) },
      { ...chunk({ content: 'one' }), usage: usage(1) },
      { ...chunk({ content: ' two' }), usage: usage(2) },
      { ...chunk({}, 'stop'), usage: usage(3) },
      { ...chunkHead, choices: [], usage: usage(3) },
      '[DONE]',
    ]);
  });

  it('leave the usage out when nothing is asked', async () => {
    const { text } = await stream({ include_usage: false });
    expect(text).not.toContain('usage');
  });
});

describe('echo', () => {
  const messages = [
    { role: 'user', content: directive({ answer: ' four' }) },
    { role: 'assistant', content: 'two and two is' },
  ];
  const option = { messages, echo: true, continue_final_message: true };

  it('puts the final message of the assistant before what is added to it', async () => {
    const { body } = await chat('', option);
    expect(body).toMatchObject({ choices: [{ message: { content: 'two and two is four' }, finish_reason: 'stop' }] });
    const streamed = await chat('', { ...option, n: 2, stream: true });
    const choice = { text: 'two and two is four', reasons: ['stop'] };
    expect(streamedChoices(streamed)).toEqual([choice, choice]);
  });

  it('adds nothing to an answer to the user', async () => {
    const { body } = await chat(directive({ answer: 'four' }), { echo: true });
    expect(body).toMatchObject({ choices: [{ message: { content: 'four' } }] });
  });
});
