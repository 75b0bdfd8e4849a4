import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, llamaTokenizer, post, startGateway } from '../support/gateway.ts';
import { receivedFor, streamedChoices, textsOf, user } from './requests.ts';

let conch: Conch;
beforeAll(async () => {
  conch = await startGateway(...llamaTokenizer(), '--tokenizer', `vllm-bos=${tokenizerFolder('llama3_2')}`);
});
afterAll(() => conch.stop());

const complete = (prompt: unknown, body: object = {}) =>
  post(`${conch.url}/v1/completions`, { model: 'vllm-toy', prompt, ...body });
const refusal = (param: string, message: string, code = 'invalid_request') => [
  400,
  { error: { message, type: 'invalid_request_error', param, code } },
];
const head = (object: string) => ({
  id: expect.stringMatching(/^cmpl-[0-9A-Za-z]{29,32}$/),
  object,
  created: expect.any(Number),
  model: 'vllm-toy',
  system_fingerprint: expect.stringMatching(/^fp_[0-9a-f]{10}$/),
});
const choice = (text: string, index = 0, reason = 'stop') => ({ index, text, logprobs: null, finish_reason: reason });
const usage = (prompt: number, completion: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});

describe('POST /v1/completions', () => {
  it('continues a text', async () => {
    const { status, body } = await complete(directive({ answer: 'one two' }));
    expect([status, body]).toEqual([
      200,
      { ...head('text_completion'), choices: [choice('one two')], usage: usage(8, 3) },
    ]);
  });

  it('streams, without an opening chunk', async () => {
    const { text } = await complete(directive({ answer: 'one two' }), { stream: true });
    const chunk = (piece: string, reason: string | null = null) => ({
      ...head('text_completion'),
      choices: [{ index: 0, text: piece, logprobs: null, finish_reason: reason }],
    });
    expect(eventsOf(text)).toEqual([chunk('one'), chunk(' two'), chunk('', 'stop'), '[DONE]']);
  });

  it('is not cut at 16 tokens, and says length where it was cut', async () => {
    const long = await complete(directive({ tokens: 100 }));
    expect(long.body).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: { completion_tokens: 101 } });
    const short = await complete(directive({ tokens: 100 }), { max_tokens: 2 });
    expect(short.body['choices']).toEqual([choice(' w1 w2', 0, 'length')]);
  });
});

describe('the prompt', () => {
  const responds = (text: string) => directive({ answer: text });

  it('may be a list of texts, each answered in its place', async () => {
    const { body } = await complete([responds('one'), responds('two three')], { n: 2 });
    expect(body['choices']).toEqual([
      choice('one', 0),
      choice('one', 1),
      choice('two three', 2),
      choice('two three', 3),
    ]);
    expect(body['usage']).toEqual(usage(15, 2 * (2 + 3)));
    const streamed = await complete([responds('one'), responds('two three')], { stream: true });
    expect(streamedChoices(streamed)).toEqual([
      { text: 'one', reasons: ['stop'] },
      { text: 'two three', reasons: ['stop'] },
    ]);
  });

  const arrived = async (prompt: unknown, body: object = {}): Promise<unknown[]> =>
    textsOf(await complete(prompt, body)).map((text) => JSON.parse(text));

  it('may be token ids, which the model gets as they were', async () => {
    // <<{"echo_ids":true}>>
    const ids = [2442, 4913, 3047, 8077, 788, 1866, 92, 2452];
    expect(await arrived(ids)).toEqual([ids]);
    const other = [9707, ...ids];
    expect(await arrived([ids, other])).toEqual([ids, other]);
  });

  it('may be token ids that begin with the BOS which the server adds itself', async () => {
    const ids = [128000, 2501, 5018, 3123, 8237, 794, 1904, 92, 2511];
    for (const model of ['vllm-llama', 'vllm-bos']) expect(await arrived(ids, { model })).toEqual([ids]);
    const { status, body } = await complete(ids.slice(1), { model: 'vllm-bos' });
    const message =
      "prompt: this model's server puts <|begin_of_text|> in front of every prompt; send the ids with it, or text.";
    expect([status, body]).toEqual(refusal('prompt', message));
  });

  it.each([
    [
      'have no text',
      [9707, 128],
      'prompt: these token ids have no text that is tokenized to the same ids, and this model takes text; send text.',
    ],
    [
      'are merged otherwise',
      [72, 72, 72],
      'prompt: these token ids have no text that is tokenized to the same ids, and this model takes text; send text.',
    ],
    [
      'are not in the vocabulary',
      [9707, 999999999],
      "prompt: not in this model's vocabulary of 151669 tokens: 999999999.",
    ],
  ])('may not be token ids that %s', async (_, ids, message) => {
    for (const prompt of [ids, [[9707], ids]]) {
      const { status, body } = await complete(prompt);
      expect([status, body]).toEqual(refusal('prompt', message));
    }
  });

  it('may not be empty, alone or in a list', async () => {
    for (const prompt of ['', ['x', '']]) {
      const { status, body } = await complete(prompt);
      expect([status, body]).toEqual(refusal('prompt', 'prompt: must not be empty.'));
    }
  });
});

describe('best_of', () => {
  const responds = async (body: object) => complete('Hello there', { seed: 1, ...body });

  it('gives the likeliest of the candidates, and counts them all', async () => {
    const all = await responds({ n: 3, logprobs: 0 });
    const means = (all.body['choices'] as { text: string; logprobs: { token_logprobs: number[] } }[]).map(
      ({ text, logprobs: { token_logprobs: logprobs } }) => ({
        text,
        mean: logprobs.reduce((sum, logprob) => sum + logprob, 0) / logprobs.length,
      }),
    );
    const ranked = means.toSorted((a, b) => b.mean - a.mean).map(({ text }) => text);
    expect(new Set(means.map(({ mean }) => mean)).size).toBe(3);
    const { body } = await responds({ n: 2, best_of: 3 });
    expect(body['choices']).toEqual(ranked.slice(0, 2).map((text, index) => choice(text, index)));
    expect(body['usage']).toEqual(all.body['usage']);
  });

  it('keeps the logprobs that were asked for', async () => {
    const { body } = await responds({ best_of: 3, logprobs: 1 });
    expect(body['choices']).toMatchObject([{ index: 0, logprobs: { tokens: expect.arrayContaining(['You']) } }]);
  });

  it('is at least n, and not for streams', async () => {
    const few = await responds({ n: 3, best_of: 2 });
    expect([few.status, few.body]).toEqual(refusal('best_of', 'best_of: must be at least n.'));
    const streamed = await responds({ best_of: 2, stream: true });
    const message = 'best_of: cannot be combined with stream, because the best completions are known only at the end.';
    expect([streamed.status, streamed.body]).toEqual(refusal('best_of', message));
    const same = await responds({ n: 2, best_of: 2, stream: true });
    expect(streamedChoices(same)).toHaveLength(2);
  });
});

describe('echo', () => {
  const prompt = directive({ answer: 'one' });

  it('puts the prompt before each answer, streamed or not', async () => {
    const { body } = await complete([prompt, `again ${prompt}`], { echo: true, n: 2 });
    const texts = [`${prompt}one`, `${prompt}one`, `again ${prompt}one`, `again ${prompt}one`];
    expect(body['choices']).toEqual(texts.map((text, index) => choice(text, index)));
    const streamed = await complete([prompt, `again ${prompt}`], { echo: true, n: 2, stream: true });
    expect(streamedChoices(streamed)).toEqual(texts.map((text) => ({ text, reasons: ['stop'] })));
  });

  it('with max_tokens 0 gives the prompts alone, counted', async () => {
    const { body } = await complete(['Hello there', 'Hello'], { echo: true, max_tokens: 0 });
    expect(body).toEqual({
      ...head('text_completion'),
      choices: [choice('Hello there', 0, 'length'), choice('Hello', 1, 'length')],
      usage: usage(3, 0),
    });
    const streamed = await complete('Hello there', { echo: true, max_tokens: 0, stream: true });
    expect(streamedChoices(streamed)).toEqual([{ text: 'Hello there', reasons: ['length'] }]);
  });

  it('is needed for max_tokens 0', async () => {
    const { status, body } = await complete('x', { max_tokens: 0 });
    expect([status, body]).toEqual(refusal('max_tokens', 'max_tokens: must be at least 1 unless echo is true.'));
  });

  it('is refused with logprobs, which the backend does not give for the prompt', async () => {
    const { status, body } = await complete('x', { echo: true, logprobs: 0 });
    const message = 'echo: cannot be combined with logprobs, because the backend returns no logprobs of the prompt.';
    expect([status, body]).toEqual(refusal('echo', message, 'unsupported_parameter'));
  });
});

describe('suffix', () => {
  it('is refused by name', async () => {
    const { status, body } = await complete('x', { suffix: 'y' });
    const message = 'suffix: the backend can only continue text at its end.';
    expect([status, body]).toEqual(refusal('suffix', message, 'unsupported_parameter'));
  });
});

describe.each(['vllm-2410', 'vllm-2502'])('the older backend %s', (model) => {
  const response = { ...head('text_completion'), model };
  const ask = (prompt: unknown, body: object = {}) => complete(prompt, { model, ...body });

  it('is counted exactly, streamed or not', async () => {
    const { body } = await ask(directive({ answer: 'one two' }));
    expect(body).toEqual({ ...response, choices: [choice('one two')], usage: usage(8, 3) });
    const streamed = await ask(directive({ answer: 'one two' }), {
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(streamedChoices(streamed)).toEqual([{ text: 'one two', reasons: ['stop'] }]);
    expect(eventsOf(streamed.text).at(-2)).toEqual({ ...response, choices: [], usage: usage(8, 3) });
  });

  it('has the true finish reason', async () => {
    const cut = await ask(directive({ answer: 'one two three' }), { max_tokens: 2 });
    expect(cut.body).toMatchObject({ choices: [choice('one two', 0, 'length')], usage: { completion_tokens: 2 } });
    const stopped = await ask(directive({ answer: 'one two three four' }), { stop: [' three f'], max_tokens: 50 });
    expect(stopped.body['choices']).toEqual([choice('one two', 0, 'stop')]);
    const streamed = await ask(directive({ tokens: 9 }), { max_tokens: 4, stream: true });
    expect(streamedChoices(streamed)).toEqual([{ text: ' w1 w2 w3 w4', reasons: ['length'] }]);
  });

  it('answers a chat with several choices', async () => {
    const { body } = await post(`${conch.url}/v1/chat/completions`, {
      model,
      messages: user(directive({ answer: 'one' })),
      n: 2,
    });
    expect(body).toMatchObject({
      choices: [{ message: { content: 'one' } }, { message: { content: 'one' } }],
      usage: usage(15, 4),
    });
  });

  it('gets the text of characters that are split over tokens', async () => {
    const { body } = await ask(directive({ answer: 'a👩‍🚀b' }));
    expect(body['choices']).toEqual([choice('a👩‍🚀b')]);
  });

  it('is sent only the tensors that it has', async () => {
    const [received] = receivedFor(await ask(directive({ echo_parameters: true })));
    const returns = { return_finish_reason: [true], return_num_input_tokens: [true], return_num_output_tokens: [true] };
    expect(received?.inputs).toEqual({
      text_input: [directive({ echo_parameters: true })],
      stream: [model === 'vllm-2410'],
      exclude_input_in_output: [true],
      sampling_parameters: [expect.any(String)],
      ...(model === 'vllm-2410' ? {} : returns),
    });
  });
});

describe('vllm-2410', () => {
  it('has no logprobs, so neither they nor best_of are offered', async () => {
    const message = "This release of Triton's vLLM backend returns no logprobs; 24.12 and later do.";
    for (const field of ['logprobs', 'best_of']) {
      const { status, body } = await complete('x', { model: 'vllm-2410', [field]: 2 });
      expect([status, body]).toEqual(refusal(field, `${field}: ${message}`, 'unsupported_parameter'));
    }
  });

  // The backend of vllm-toy counts tokens itself.
  it.each(['vllm-2410', 'vllm-toy'])('of %s has the context length that is set', async (model) => {
    const small = await startGateway('--context-length', '30');
    try {
      const ask = (prompt: string, body: object = {}) =>
        post(`${small.url}/v1/completions`, { model, prompt, ...body });
      const [received] = receivedFor(await ask(directive({ echo_parameters: true })));
      expect(received?.sampling_parameters).toEqual({ max_tokens: 22 });
      const full = await ask(directive({ tokens: 40 }));
      expect(full.body).toMatchObject({ choices: [{ finish_reason: 'length' }], usage: { total_tokens: 30 } });
      const { status, body } = await ask('word '.repeat(30));
      const message = "This model's maximum context length is 30 tokens. The prompt has 31. Shorten it.";
      expect([status, body]).toEqual(refusal('prompt', message, 'context_length_exceeded'));
    } finally {
      await small.stop();
    }
  });
});
