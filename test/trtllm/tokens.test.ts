import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin, countOf, streamedChoices, textsOf, user } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, type Response } from '../support/gateway.ts';
import { startTrtllm, type Trtllm } from '../support/trtllm.ts';
import { chainModels } from '../support/trtllm-repository.ts';

const patience = 240_000;
const model = 'ensemble';
let triton: Trtllm;
let conch: Conch;

beforeAll(async () => {
  triton = await startTrtllm({
    models: chainModels,
    values: { normalize_log_probs: 'false', guided_decoding_backend: 'xgrammar', max_beam_width: '4' },
    engine: { max_input_len: 600, max_seq_len: 700, max_beam_width: 4, gather_generation_logits: true },
  });
  conch = await startConch({ flags: ['--triton', `127.0.0.1:${triton.grpcPort}`, '--refresh-interval', '200ms'] });
  // A list of models waits for tokenizers only for some seconds, which a busy machine may need twice.
  while (!(await modelList())[0]?.capabilities['token_ids']);
}, patience);
afterAll(async () => {
  await conch.stop();
  await triton.stop();
});

const complete = (body: object): Promise<Response> => post(`${conch.url}/v1/completions`, { model, ...body });
const chat = (body: object): Promise<Response> => post(`${conch.url}/v1/chat/completions`, { model, ...body });
const choiceOf = ({ body }: Response) => (body['choices'] as Record<string, unknown>[])[0];
const usageOf = ({ body }: Response) => body['usage'] as Record<string, unknown>;

async function modelList(): Promise<{ capabilities: Record<string, boolean> }[]> {
  const response = await fetch(`${conch.url}/v1/models`);
  return ((await response.json()) as { data: { capabilities: Record<string, boolean> }[] }).data;
}

/** What the engine was sent, for a request that asks for its echo. */
async function received(body: object): Promise<Record<string, unknown>> {
  const response = await complete({ prompt: directive({ echo_parameters: true }), ...body });
  expect([response.status, response.body.error]).toEqual([200, undefined]);
  const { request_id: id, seed, ...inputs } = JSON.parse(textsOf(response)[0] ?? '') as Record<string, unknown>;
  expect([id, typeof seed]).toEqual([response.body['id'], 'number']);
  return 'seed' in body ? { ...inputs, seed } : inputs;
}

describe('an ensemble whose engine is asked directly', () => {
  it('is served under its own name alone', async () => {
    expect(await modelList()).toEqual([
      {
        id: model,
        object: 'model',
        created: expect.any(Number),
        owned_by: 'triton',
        root: model,
        parent: null,
        version: '1',
        max_model_len: 700,
        contract: 'trtllm-tokens',
        capabilities: {
          completion: true,
          chat: true,
          tools: true,
          reasoning: true,
          guided_decoding: true,
          images: false,
          logprobs: true,
          logit_bias: true,
          token_ids: true,
          embedding: false,
          rerank: false,
          classify: false,
        },
      },
    ]);
    expect((await post(`${conch.url}/v1/completions`, { model: 'tensorrt_llm', prompt: 'x' })).body).toEqual({
      error: {
        message: 'The model "tensorrt_llm" does not exist. It is not served: it is part of ensemble.',
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      },
    });
  });

  it.each([
    ['emoji that are many tokens', 'It is 👩‍👩‍👧‍👦 and 🏳️‍🌈, fine 🦄🦄'],
    ['CJK', '東京は日本の首都です。你好，世界！한국어도'],
    ['Arabic', 'مرحبا بالعالم، كيف حالك؟'],
    ['combining marks', 'Z͑ͫ̓a̴͕l̡g̴o x\u0301 m\u0303'],
    ['code with indentation', 'def f(x):\n\tif x:\n        return  {\n\n            "a":   1}\n'],
  ])('gives %s whole, streamed and not', async (_, response) => {
    const prompt = directive({ answer: response });
    const whole = await complete({ prompt });
    expect(choiceOf(whole)).toEqual({ index: 0, text: response, logprobs: null, finish_reason: 'stop' });
    const streamed = await complete({ prompt, stream: true });
    expect(streamedChoices(streamed)).toEqual([{ text: response, reasons: ['stop'] }]);
    expect(streamed.text).not.toContain('\uFFFD');
  });

  it('counts the tokens of prompt and answer, and those that were in the cache', async () => {
    const prompt = `${'A prompt that is longer than one block of the cache. '.repeat(12)}${directive({ tokens: 5 })}`;
    const first = usageOf(await complete({ prompt }));
    expect(first).toEqual({
      prompt_tokens: expect.any(Number),
      completion_tokens: 6,
      total_tokens: Number(first['prompt_tokens']) + 6,
      prompt_tokens_details: { cached_tokens: 0 },
    });
    const again = usageOf(await complete({ prompt, stream: false }));
    const { cached_tokens: cached } = again['prompt_tokens_details'] as { cached_tokens: number };
    expect(cached).toBeGreaterThan(60);
    expect(cached).toBeLessThanOrEqual(Number(first['prompt_tokens']));
    const events = eventsOf(
      (await complete({ prompt, stream: true, stream_options: { include_usage: true } })).text,
    ) as Record<string, unknown>[];
    expect(events.at(-2)?.['usage']).toEqual(again);
  });

  it('says length when the length ran out, at the limit of the request or of the engine', async () => {
    const cut = await complete({ prompt: directive({ tokens: 20 }), max_tokens: 5 });
    expect([choiceOf(cut), usageOf(cut)['completion_tokens']]).toEqual([
      { index: 0, text: ' a b c d e', logprobs: null, finish_reason: 'length' },
      5,
    ]);
    const ended = await complete({ prompt: directive({ tokens: 4, without_end: true }), max_tokens: 20 });
    expect(choiceOf(ended)).toMatchObject({ text: ' a b c d', finish_reason: 'stop' });
    const full = await complete({ prompt: directive({ tokens: 2000 }) });
    expect(choiceOf(full)).toMatchObject({ finish_reason: 'length' });
    expect(usageOf(full)['total_tokens']).toBe(700);
  });

  it('puts chats through the template', async () => {
    const response = await chat({ messages: user(directive({ echo_ids: true })) });
    const ids = JSON.parse(textsOf(response)[0] ?? '') as number[];
    // <|im_start|>user, and in the end <|im_end|>, <|im_start|>assistant, with their line breaks.
    expect([ids.slice(0, 3), ids.slice(-5)]).toEqual([
      [151644, 872, 198],
      [151645, 198, 151644, 77091, 198],
    ]);
  });

  it('takes token ids as they are', async () => {
    const prompt = directive({ echo_ids: true });
    const ids = JSON.parse(textsOf(await complete({ prompt }))[0] ?? '') as number[];
    const sent = [...ids, 198, 198];
    expect(JSON.parse(textsOf(await complete({ prompt: sent }))[0] ?? '')).toEqual(sent);
    const two = await complete({ prompt: [ids, sent] });
    expect(textsOf(two).map((text) => JSON.parse(text) as unknown)).toEqual([ids, sent]);
  });
});

describe('stop texts', () => {
  it.each([
    ['that are tokens', ' c', ' a b'],
    ['across tokens', 'b c d', ' a '],
    ['inside a token', 'd', ' a b c '],
  ])('%s end the answer and are no part of it', async (_, stop, text) => {
    // Cut off between two responses: this tritonserver dies of a cancel while they flow.
    const prompt = directive({ tokens: 26, delay_ms: 100 });
    expect(choiceOf(await complete({ prompt, stop }))).toEqual({
      index: 0,
      text,
      logprobs: null,
      finish_reason: 'stop',
    });
    expect(streamedChoices(await complete({ prompt, stop, stream: true }))).toEqual([{ text, reasons: ['stop'] }]);
    const stored = await complete({ prompt, stop, include_stop_str_in_output: true });
    expect(choiceOf(stored)).toMatchObject({ text: text + stop, finish_reason: 'stop' });
  });

  it.each([true, false])('end the request in the engine at once (stream %s)', async (stream) => {
    const tag = `stop text, stream ${stream}`;
    const response = await complete({ prompt: directive({ tokens: 500, hold_at: 3, tag }), stop: 'b c', stream });
    const seen = stream ? streamedChoices(response) : choiceOf(response);
    expect(seen).toMatchObject(stream ? [{ text: ' a ', reasons: ['stop'] }] : { text: ' a ', finish_reason: 'stop' });
    const { state, tokens } = await countOf(conch.url, tag, { model, until: 'cancelled' });
    expect([state, tokens < 10]).toEqual(['cancelled', true]);
  });

  it('may be token ids, which never show', async () => {
    const response = await complete({ prompt: directive({ tokens: 26 }), stop_token_ids: [293] });
    expect(choiceOf(response)).toMatchObject({ text: ' a', finish_reason: 'stop' });
  });
});

describe('a client that leaves', () => {
  it.each([true, false])('ends the request in the engine (stream %s)', async (stream) => {
    const tag = `leaver, stream ${stream}`;
    const body = { model, prompt: directive({ tokens: 500, hold_at: 3, tag }), stream };
    const { until, leave } = begin(`${conch.url}/v1/completions`, body);
    if (stream) await until(' c"');
    expect(await countOf(conch.url, tag, { model, until: 'held' })).toEqual({ state: 'held', tokens: 3 });
    await leave();
    const { state, tokens } = await countOf(conch.url, tag, { model, until: 'cancelled' });
    expect([state, tokens < 10]).toEqual(['cancelled', true]);
  });
});

describe('sampling', () => {
  it('sends what the request says, under the names of the engine', async () => {
    const sent = await received({
      max_tokens: 50,
      temperature: 0.5,
      top_p: 0.25,
      top_k: 7,
      seed: 11,
      frequency_penalty: 0.5,
      presence_penalty: -0.5,
      repetition_penalty: 1.5,
      min_tokens: 2,
      logit_bias: { 5: 50, 9: -100 },
      stop: ['x y'],
      stop_token_ids: [77],
      bad_words: ['bad'],
    });
    expect(sent).toMatchInlineSnapshot(`
      {
        "bad_words_list": [
          [
            13855,
            3873,
          ],
          [
            1,
            2,
          ],
        ],
        "embedding_bias": {
          "5": 50,
          "9": -100,
        },
        "end_id": 151645,
        "exclude_input_in_output": true,
        "frequency_penalty": 0.5,
        "input_lengths": 8,
        "min_tokens": 2,
        "pad_id": 151643,
        "presence_penalty": -0.5,
        "repetition_penalty": 1.5,
        "request_output_len": 50,
        "return_perf_metrics": true,
        "runtime_top_k": 7,
        "runtime_top_p": 0.25,
        "seed": 11,
        "stop_words_list": [
          [
            87,
            379,
            77,
          ],
          [
            2,
            3,
            -1,
          ],
        ],
        "streaming": true,
        "temperature": 0.5,
      }
    `);
  });

  it('sends next to nothing for a request that says nothing', async () => {
    expect(await received({})).toMatchInlineSnapshot(`
      {
        "end_id": 151645,
        "exclude_input_in_output": true,
        "input_lengths": 8,
        "pad_id": 151643,
        "request_output_len": 692,
        "return_perf_metrics": true,
        "runtime_top_p": 1,
        "streaming": false,
      }
    `);
  });

  it('is greedy at temperature 0, and runs past the end where it is told to', async () => {
    const greedy = await complete({ prompt: directive({ echo_parameters: true }), temperature: 0 });
    expect(JSON.parse(textsOf(greedy)[0] ?? '')).toMatchObject({ runtime_top_k: 1 });
    expect(await received({ ignore_eos: true })).toMatchObject({ end_id: -1 });
    const past = await complete({ prompt: directive({ tokens: 3 }), ignore_eos: true, max_tokens: 12 });
    expect([choiceOf(past)?.['finish_reason'], usageOf(past)['completion_tokens']]).toEqual(['length', 12]);
  });

  it('biases, bans and allows tokens by their ids', async () => {
    const banned = await complete({ prompt: directive({ tokens: 4 }), logit_bias: { 293: -100 } });
    expect(choiceOf(banned)?.['text']).not.toContain(' b');
    const words = await complete({ prompt: directive({ tokens: 4 }), bad_words: ['b'] });
    expect(choiceOf(words)?.['text']).not.toContain(' b');
    const allowed = await complete({ prompt: directive({ tokens: 4 }), allowed_token_ids: [264], max_tokens: 5 });
    expect(choiceOf(allowed)).toMatchObject({ text: ' a a a a a', finish_reason: 'length' });
  });

  it('gives several answers, each with a seed of its own', async () => {
    const response = await complete({ prompt: directive({ echo_parameters: true }), n: 3, seed: 5 });
    const seeds = textsOf(response).map((text) => (JSON.parse(text) as { seed: number }).seed);
    expect(seeds).toEqual([5, 6, 7]);
    const unseeded = await complete({ prompt: directive({ echo_parameters: true }), n: 3 });
    // An engine that is told no seed takes 0, and would give the same answer three times.
    expect(new Set(textsOf(unseeded).map((text) => (JSON.parse(text) as { seed: number }).seed)).size).toBe(3);
  });

  it('counts the cache once for several answers of one prompt', async () => {
    const prompt = `${'A prompt of several blocks, asked for more than once. '.repeat(12)}${directive({ tokens: 2 })}`;
    await complete({ prompt });
    const usage = usageOf(await complete({ prompt, n: 3 }));
    const { cached_tokens: cached } = usage['prompt_tokens_details'] as { cached_tokens: number };
    expect([cached > 60, cached <= Number(usage['prompt_tokens'])]).toEqual([true, true]);
  });
});

describe('logprobs', () => {
  interface ChatLogprob {
    readonly token: string;
    readonly logprob: number;
    readonly bytes: number[] | null;
    readonly top_logprobs: { readonly token: string; readonly logprob: number }[];
  }

  it('are those of each token, with the bytes of parts of characters', async () => {
    const text = 'A 🦄!';
    const response = await chat({ messages: user(directive({ answer: text })), logprobs: true, top_logprobs: 2 });
    const { content } = (choiceOf(response)?.['logprobs'] ?? { content: [] }) as { content: ChatLogprob[] };
    expect(Buffer.from(content.flatMap(({ bytes }) => bytes ?? [])).toString()).toBe(text);
    expect(content.map(({ token }) => token)).toContain(' \\xf0\\x9f');
    for (const { logprob, top_logprobs: top } of content) {
      expect(logprob).toBeLessThanOrEqual(0);
      expect(top).toHaveLength(2);
      expect(top[0]?.logprob).toBeGreaterThanOrEqual(top[1]?.logprob ?? 0);
    }
  });

  it('are the same from the engine and from its logits', async () => {
    const body = { prompt: directive({ answer: 'one two three' }), temperature: 0.5 };
    const values = async (more: object) =>
      (choiceOf(await complete({ ...body, ...more }))?.['logprobs'] as { token_logprobs: number[] } | undefined)
        ?.token_logprobs ?? [];
    const plain = await values({ logprobs: 0 });
    const fromLogits = await values({ logprobs: 1 });
    expect(fromLogits).toHaveLength(plain.length);
    plain.forEach((value, at) => expect(fromLogits[at]).toBeCloseTo(value, 4));
    const events = eventsOf((await complete({ ...body, logprobs: 0, stream: true })).text).slice(0, -1);
    const streamed = (events as { choices: { logprobs: { token_logprobs: number[] } | null }[] }[]).flatMap(
      ({ choices }) => choices[0]?.logprobs?.token_logprobs ?? [],
    );
    expect(streamed).toEqual(plain);
  });
});

describe('beam search', () => {
  it('gives the best beams as choices', async () => {
    const response = await complete({ prompt: directive({ tokens: 3 }), use_beam_search: true, beam_width: 3, n: 2 });
    const texts = textsOf(response);
    expect([response.status, texts.length, new Set(texts).size]).toEqual([200, 2, 2]);
    expect((response.body['choices'] as { finish_reason: string }[]).map((choice) => choice.finish_reason)).toEqual([
      'stop',
      'stop',
    ]);
    const streamed = await complete({ prompt: directive({ tokens: 3 }), use_beam_search: true, n: 2, stream: true });
    expect(streamedChoices(streamed).map(({ reasons }) => reasons)).toEqual([['stop'], ['stop']]);
  });

  it('is refused by name where it asks for too much', async () => {
    const refusals = await Promise.all(
      [{ beam_width: 5 }, { beam_width: 2, n: 3 }, { beam_width: 2, use_beam_search: false }].map(async (body) => {
        const { status, body: value } = await complete({ prompt: 'x', ...body });
        return [status, value.error?.['param'], value.error?.['message']];
      }),
    );
    expect(refusals).toEqual([
      [400, 'beam_width', 'beam_width: must be at most 4 for this model, not 5.'],
      [400, 'n', 'n: must be at most beam_width, which is 2.'],
      [400, 'beam_width', 'beam_width: requires use_beam_search, which is false. Send only one of them.'],
    ]);
  });
});

describe('structured outputs', () => {
  it('are what the guide allows', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const format = { type: 'json_schema', json_schema: { name: 'place', schema } };
    const response = await chat({ messages: user('Where?'), response_format: format });
    expect(JSON.parse(textsOf(response)[0] ?? '')).toEqual({ city: expect.any(String) });
    const choice = await chat({ messages: user('Yes?'), guided_choice: ['yes', 'no'] });
    expect(['yes', 'no']).toContain(textsOf(choice)[0]);
  });

  it('that do not compile are a 400 that names the field', async () => {
    const { status, body } = await chat({ messages: user('x'), guided_regex: '(' });
    expect([status, body.error?.['param'], body.error?.['code']]).toEqual([400, 'guided_regex', 'invalid_request']);
  });
});

describe('bad input', () => {
  it('is a 400 that says what and where, and the model goes on', async () => {
    const cases = [
      { prompt: 'word '.repeat(650) },
      { prompt: 'word '.repeat(800) },
      { prompt: '' },
      { prompt: [5, 999_999] },
      { prompt: 'x', stop_token_ids: [999_999] },
      { prompt: 'x', logit_bias: { 999_999: 1 } },
    ];
    const errors = await Promise.all(cases.map(async (body) => (await complete(body)).body.error));
    expect(errors.map((error) => [error?.['code'], error?.['param'], error?.['message']])).toMatchInlineSnapshot(`
      [
        [
          "context_length_exceeded",
          "prompt",
          "The prompt has 651 tokens; this model takes 600. Shorten it.",
        ],
        [
          "context_length_exceeded",
          "prompt",
          "The prompt has 801 tokens; this model takes 600. Shorten it.",
        ],
        [
          "invalid_request",
          "prompt",
          "prompt: must not be empty.",
        ],
        [
          "invalid_request",
          "prompt",
          "prompt: not in this model's vocabulary of 151669 tokens: 999999.",
        ],
        [
          "invalid_request",
          "stop_token_ids",
          "stop_token_ids: 999999 is not in this model's vocabulary of 151680 tokens.",
        ],
        [
          "invalid_request",
          "logit_bias",
          "logit_bias: 999999 is not in this model's vocabulary of 151680 tokens.",
        ],
      ]
    `);
    expect(choiceOf(await complete({ prompt: directive({ tokens: 2 }) }))).toMatchObject({ text: ' a b' });
  });
});

describe('the tokens of a request to an engine', () => {
  const tokensOf = async (prompt: string) =>
    (await post(`${conch.url}/tokenize`, { model, prompt })).body['tokens'] as number[];

  it('are returned as ids', async () => {
    const prompt = directive({ answer: 'one two' });
    const response = await complete({ prompt, return_token_ids: true, max_tokens: 8 });
    expect(choiceOf(response)).toMatchObject({
      text: 'one two',
      prompt_token_ids: await tokensOf(prompt),
      token_ids: [...(await tokensOf('one two')), 151_645],
    });
  });

  it('are truncated', async () => {
    const prompt = `one two ${directive({ answer: 'one two' })}`;
    const ids = await tokensOf(prompt);
    const body = { prompt, truncate_prompt_tokens: ids.length - 2, return_token_ids: true, max_tokens: 8 };
    expect(choiceOf(await complete(body))).toMatchObject({ text: 'one two', prompt_token_ids: ids.slice(2) });
  });

  it('have no logprobs in a prompt, which the engine does not return', async () => {
    const { status, body } = await complete({ prompt: 'x', prompt_logprobs: 1 });
    expect([status, body.error?.['param'], body.error?.['code']]).toEqual([
      400,
      'prompt_logprobs',
      'unsupported_parameter',
    ]);
  });
});
