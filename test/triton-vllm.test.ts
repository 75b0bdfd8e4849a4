import { describe, expect, inject, it } from 'vitest';
import { directive, type Exchange, type ExchangeMessage, exchange } from './support/exchange.ts';

const { grpcPort } = inject('triton');
const everything = {
  stream: true,
  return_finish_reason: true,
  return_cumulative_logprob: true,
  return_logprobs: true,
  return_num_input_tokens: true,
  return_num_output_tokens: true,
};

interface Ask {
  readonly model?: string;
  readonly sampling?: unknown;
  readonly inputs?: Record<string, string | boolean>;
  readonly cancel_after?: number;
  readonly timeout?: number;
}

async function ask(prompt: string, { model = 'vllm-toy', sampling = {}, inputs = everything, ...rest }: Ask = {}) {
  const sampled = { sampling_parameters: JSON.stringify(sampling) };
  const [response] = await exchange(grpcPort, [
    { model, id: 'seven', inputs: { text_input: prompt, ...sampled, ...inputs }, ...rest },
  ]);
  if (response === undefined) throw new Error('No answer came');
  return response;
}

const values = (messages: readonly ExchangeMessage[], name: string) =>
  messages.map(({ outputs }) => outputs[name]?.values[0]);
const textOf = ({ messages }: Exchange) => values(messages, 'text_output').join('');

describe('a streamed answer', () => {
  it('comes token by token, with the final flag on the last data response and no empty one after it', async () => {
    const { status, messages } = await ask(directive({ answer: 'one two' }), { sampling: { max_tokens: 9 } });
    expect(status).toBe('OK');
    expect(values(messages, 'text_output')).toEqual(['one', ' two', '']);
    expect(values(messages, 'finish_reason')).toEqual(['None', 'None', 'stop']);
    expect(values(messages, 'num_output_tokens')).toEqual([1, 1, 1]);
    expect(values(messages, 'logprobs')).toEqual(['null', 'null', 'null']);
    expect(values(messages, 'cumulative_logprob')).toEqual(['nan', 'nan', 'nan']);
    expect(new Set(values(messages, 'num_input_tokens')).size).toBe(1);
    expect(messages.map(({ final }) => final)).toEqual([false, false, true]);
    expect(messages.map(({ outputs }) => outputs['num_input_tokens']?.shape)).toEqual([[], [], []]);
    expect(messages.map(({ outputs }) => outputs['text_output']?.shape)).toEqual([[1], [1], [1]]);
    expect(messages.every(({ id, model, version }) => id === 'seven' && model === 'vllm-toy' && version === '1')).toBe(
      true,
    );
  });

  it('is cut at 16 tokens without sampling parameters', async () => {
    const [response] = await exchange(grpcPort, [
      { model: 'vllm-toy', inputs: { text_input: 'Tell me more', ...everything } },
    ]);
    expect(response?.messages).toHaveLength(16);
    expect(response?.messages.at(-1)?.outputs['finish_reason']?.values).toEqual(['length']);
  });

  it('holds text back that may be a stop string, and removes the stop string', async () => {
    const prompt = directive({ answer: 'one two three four' });
    const { messages } = await ask(prompt, { sampling: { max_tokens: 9, stop: [' three f', 'zzz'] } });
    expect(values(messages, 'text_output')).toEqual(['', '', 'one tw', 'o']);
    expect(values(messages, 'finish_reason').at(-1)).toBe('stop');
    const included = await ask(prompt, { sampling: { stop: ['ee'], include_stop_str_in_output: true } });
    expect(textOf(included)).toBe('one two three');
  });

  it('gives a character split over tokens only when it is whole, and U+FFFD in the logprobs meanwhile', async () => {
    const { messages } = await ask(directive({ answer: 'a👩‍🚀b' }), { sampling: { max_tokens: 20, logprobs: 0 } });
    const texts = values(messages, 'text_output');
    expect(texts.join('')).toBe('a👩‍🚀b');
    expect(texts.slice(0, -1)).toContain('');
    expect(String(values(messages, 'logprobs')[texts.indexOf('')])).toContain('"decoded_token": "\\ufffd');
  });

  it('has the sampled token first in the logprobs, then the most likely ones', async () => {
    const { messages } = await ask(directive({ tokens: 40 }), { sampling: { max_tokens: 40, logprobs: 2 } });
    const sizes = new Set<number>();
    for (const text of values(messages, 'logprobs')) {
      const ranks = [...String(text).matchAll(/"rank": (\d+)/g)].map(([, rank]) => Number(rank));
      const [sampled = 0, ...others] = ranks;
      expect(others).toEqual([1, 2].filter((rank) => rank !== sampled));
      sizes.add(ranks.length);
    }
    expect([...sizes].toSorted((a, b) => a - b)).toEqual([2, 3]);
    const cumulative = values(messages, 'cumulative_logprob').map(Number);
    expect(cumulative).toEqual(cumulative.toSorted((a, b) => b - a));
  });

  it('ends with the context: room for four tokens gives four', async () => {
    const prompt = (context: number) => directive({ tokens: 90, context });
    const first = await ask(prompt(1024), { sampling: { max_tokens: 1 } });
    const length = Number(first.messages[0]?.outputs['num_input_tokens']?.values[0]);
    const { messages } = await ask(`${'a '.repeat(1020 - length - 1)} ${prompt(1024)}`, {
      sampling: { max_tokens: 50 },
    });
    const used = Number(messages[0]?.outputs['num_input_tokens']?.values[0]);
    expect(messages).toHaveLength(1024 - used);
    expect(values(messages, 'finish_reason').at(-1)).toBe('length');
  });

  it('honours min_tokens, ignore_eos and stop_token_ids', async () => {
    const short = directive({ answer: 'one' });
    expect((await ask(short, { sampling: { max_tokens: 9, min_tokens: 5 } })).messages.length).toBeGreaterThan(5);
    expect((await ask(short, { sampling: { max_tokens: 9, ignore_eos: true } })).messages).toHaveLength(9);
    const { messages } = await ask(directive({ answer: 'one two' }), {
      sampling: { stop_token_ids: [1378], logprobs: 0 },
    });
    expect(values(messages, 'text_output')).toEqual(['one', '']);
    expect(values(messages, 'finish_reason')).toEqual(['None', 'stop']);
  });

  it('differs by seed and is the same for the same seed', async () => {
    const respond = async (seed: number) => textOf(await ask('Hello you', { sampling: { seed, max_tokens: 60 } }));
    expect(await respond(3)).toBe(await respond(3));
    expect(await respond(3)).not.toBe(await respond(4));
  });

  it('interleaves with others on one stream', async () => {
    const request = (id: string) => ({
      model: 'vllm-toy',
      id,
      inputs: { text_input: directive({ tokens: 5, delay_ms: 5 }), stream: true },
    });
    const [both] = await exchange(grpcPort, [request('a'), request('b')], { oneStream: true });
    const ids = both?.messages.map(({ id }) => id).join('');
    expect(ids).toHaveLength(12);
    expect(ids).not.toMatch(/^(a+b+|b+a+)$/);
  });
});

describe('an unstreamed answer', () => {
  it('is one response with the prompt before it, unless that is excluded', async () => {
    const prompt = directive({ answer: 'one two' });
    const inputs = { return_finish_reason: true, return_num_output_tokens: true };
    const { messages } = await ask(prompt, { inputs });
    expect(messages).toHaveLength(1);
    expect(messages[0]?.outputs['text_output']?.values).toEqual([`${prompt}one two`]);
    expect(messages[0]?.outputs['num_output_tokens']?.values).toEqual([3]);
    expect(messages[0]?.final).toBe(true);
    expect(textOf(await ask(prompt, { inputs: { exclude_input_in_output: true } }))).toBe('one two');
  });

  it('loses a choice with n=2', async () => {
    const { messages } = await ask('Hello', { sampling: { n: 2 }, inputs: { exclude_input_in_output: true } });
    expect(messages[0]?.outputs['text_output']?.shape).toEqual([1]);
  });

  it('can be an embedding', async () => {
    const embedding = JSON.stringify({ input: 'hello', pooling_params: { dimensions: [4] } });
    const [response] = await exchange(grpcPort, [{ model: 'vllm-embed', inputs: { embedding_request: embedding } }]);
    expect(JSON.parse(response ? textOf(response) : '')).toHaveLength(4);
  });
});

describe('an error', () => {
  const useless = "Error generating stream: 'NoneType' object has no attribute 'lora_name'";

  it.each([
    [{ unknown_key: 1 }],
    [{ max_tokens: 0 }],
    [{ temperature: -1 }],
    [{ top_p: 2 }],
    [{ seed: null }],
    [{ structured_outputs: { choice: ['a'] } }],
    [{ guided_decoding: '{"choice":["a"]}' }],
  ])('of the sampling parameters %j tells nothing', async (sampling) => {
    const { status, messages } = await ask('Hello', { sampling });
    expect({ status, messages }).toEqual({
      status: 'OK',
      messages: [{ error: useless, id: 'seven', model: 'vllm-toy', version: '', final: true, outputs: {} }],
    });
  });

  it.each<[object, string]>([
    [{ regex: '(?=a)abc' }, 'Grammar error: at 1(8): invalid regex "(?=a)abc" (in regex): regex parse error:\n'],
    [{ json: { uniqueItems: true } }, 'Grammar error: Unimplemented keys: ["uniqueItems"]'],
    [{ grammar: 'a ::= "b"' }, "Failed to convert the grammar from GBNF to Lark: No 'root' rule found"],
    [{ grammar: 'root ::= foo' }, "Failed to convert the grammar from GBNF to Lark: Rule 'foo' not found"],
  ])('of the structured output %j tells what is wrong', async (structure, text) => {
    const { messages } = await ask('Hello', { sampling: { structured_outputs: JSON.stringify(structure) } });
    const said = messages.map(({ error }) => error?.slice(0, text.length + 25));
    expect(said).toEqual([expect.stringContaining(`Error generating stream: ${text}`)]);
  });

  it.each<[string, string, Ask, RegExp]>([
    [
      'too many logprobs',
      'Hi',
      { sampling: { logprobs: 100 } },
      /Requested sample logprobs of 100, which is greater than max allowed: 20$/,
    ],
    [
      'a long prompt',
      `Hi ${directive({ context: 5 })}`,
      {},
      /The decoder prompt \(length \d+\) is longer than the maximum model length of 5\b/,
    ],
    ['an empty prompt', '', {}, /The decoder prompt cannot be empty$/],
    ['LoRA off', 'Hi', { sampling: { lora_name: 'zzz' } }, /^LoRA feature is not enabled\.$/],
    [
      'an unknown LoRA',
      'Hi',
      { model: 'vllm-llama', sampling: { lora_name: 'zzz' } },
      /^LoRA zzz is not supported, we currently support \['lora_a', 'lora_b'\]$/,
    ],
    ['the wrong task', 'Hi', { model: 'vllm-embed' }, /Model vllm-embed does not support 'generate' request$/],
    [
      'the other wrong task',
      'Hi',
      { inputs: { embedding_request: '{"input":"a"}' } },
      /Model vllm-toy does not support 'embed' request$/,
    ],
    [
      'a prompt wanted in a stream',
      'Hi',
      { inputs: { stream: true, exclude_input_in_output: false } },
      /`exclude_input_in_output` = False is not allowed/,
    ],
    ['logit_bias', 'Hi', { sampling: { logit_bias: { 5: 1 } } }, /^Error generating stream: $/],
  ])('for %s reads as recorded', async (_name, prompt, options, text) => {
    const { messages } = await ask(prompt, options);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ error: expect.stringMatching(text) as unknown, final: true, version: '' });
  });

  it('for sampling parameters that are no JSON shows file paths', async () => {
    const { messages } = await ask('Hi', { inputs: { sampling_parameters: 'nonsense' } });
    expect(messages[0]?.error).toMatch(/JSONDecodeError[^]*\/json\/decoder\.py/);
  });

  it('for an unknown model or input comes without the final flag', async () => {
    const [model, input] = await exchange(grpcPort, [
      { model: 'nope', id: 'x' },
      { model: 'vllm-toy', id: 'x', inputs: { text_input: 'Hi', foo: 'bar' } },
    ]);
    expect(model?.messages).toMatchObject([
      { error: "Request for unknown model: 'nope' is not found", id: 'x', model: '', final: null },
    ]);
    expect(input?.messages).toMatchObject([
      {
        error: expect.stringContaining("unexpected inference input 'foo' for model 'vllm-toy'") as unknown,
        final: null,
      },
    ]);
  });

  it('can come in the middle of a stream', async () => {
    const { messages } = await ask(directive({ tokens: 9, error_at: 2, error_text: 'out of paper' }));
    expect(messages.map(({ error }) => error)).toEqual([null, null, 'Error generating stream: out of paper']);
  });

  it('comes for every request once the engine is dead', async () => {
    const dead = /EngineCore encountered an issue/;
    expect((await ask(directive({ tokens: 3, die_at: 1 }), { model: 'vllm-2502' })).messages.at(-1)?.error).toMatch(
      dead,
    );
    expect((await ask('Hi', { model: 'vllm-2502' })).messages[0]?.error).toMatch(dead);
    expect(textOf(await ask(directive({ answer: 'Back', revive: true }), { model: 'vllm-2502' }))).toBe('Back');
  });
});

describe('the queue', () => {
  it('of a model that takes one request at a time is full at some point', async () => {
    const held = { model: 'vllm-queue', inputs: { text_input: directive({ tokens: 2, delay_ms: 100 }), stream: true } };
    const requests = Array.from({ length: 8 }, (_, at) => ({ ...held, id: String(at) }));
    const [response] = await exchange(grpcPort, requests, { oneStream: true });
    const refused = response?.messages.filter(({ error }) => error !== null) ?? [];
    expect(refused.length).toBeGreaterThan(2);
    for (const { error } of refused) expect(error).toMatch(/Exceeds maximum queue size/);
  });
});

describe('cancelling', () => {
  const count = async (tag: string, until: string) => {
    const text = textOf(await ask(directive({ count_of: tag, until }), { sampling: { max_tokens: 99 } }));
    const counted: { tokens: number; state: string } = JSON.parse(text);
    return counted;
  };

  it('stops a streamed generation within three tokens', async () => {
    const { status } = await ask(directive({ tokens: 1000, delay_ms: 20, tag: 'left' }), {
      sampling: { max_tokens: 1000 },
      cancel_after: 3,
    });
    expect(status).toBe('CANCELLED');
    const { tokens, state } = await count('left', 'cancelled');
    expect(state).toBe('cancelled');
    expect(tokens).toBeLessThanOrEqual(6);
  });

  it('stops an unstreamed one at its deadline', async () => {
    const { status } = await ask(directive({ tokens: 1000, delay_ms: 20, tag: 'late' }), {
      sampling: { max_tokens: 1000 },
      inputs: { exclude_input_in_output: true },
      timeout: 0.3,
    });
    expect(status).toBe('DEADLINE_EXCEEDED');
    expect(await count('late', 'cancelled')).toMatchObject({ state: 'cancelled' });
  });

  it('can be awaited: a held request goes on when it is released', async () => {
    const held = ask(directive({ tokens: 5, hold_at: 2, tag: 'held' }));
    expect(await count('held', 'held')).toEqual({ tokens: 2, state: 'held' });
    await ask(directive({ release: 'held' }));
    expect((await held).messages).toHaveLength(6);
  });
});
