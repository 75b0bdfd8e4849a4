import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textsOf } from '../gateway/requests.ts';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, startGateway } from '../support/gateway.ts';

type Json = Record<string, unknown>;

const model = 'tokens-toy';
let conch: Conch;
beforeAll(async () => {
  conch = await startGateway('--context-length', `${model}=4096`);
});
afterAll(() => conch.stop());

const complete = (body: Json) => post(`${conch.url}/v1/completions`, { model, max_tokens: 64, ...body });
const chat = (content: unknown, body: Json) =>
  post(`${conch.url}/v1/chat/completions`, { model, messages: [{ role: 'user', content }], max_tokens: 64, ...body });
const tokensOf = async (prompt: string) =>
  (await post(`${conch.url}/tokenize`, { model, prompt })).body['tokens'] as number[];
const choicesOf = (body: Json) => body['choices'] as Json[];
const echo = directive({ echo_parameters: true });

/** What the engine was called with. */
async function received(body: Json): Promise<Json> {
  const [text = ''] = textsOf(await complete({ prompt: echo, max_tokens: 2000, ...body }));
  return JSON.parse(text) as Json;
}

const guide = (parts: Json) => ({
  json: null,
  regex: null,
  choice: null,
  grammar: null,
  json_object: null,
  structural_tag: null,
  whitespace_pattern: null,
  disable_any_whitespace: false,
  disable_additional_properties: false,
  ...parts,
});

/** The token that ends a response of the toy. */
const eos = 151_645;
const usual = { sampling_params: { max_tokens: 2000, detokenize: false }, media: {} };

describe('a field of vLLM reaches its engine', () => {
  const tag = { structures: [{ begin: '<a>', schema: { type: 'object' }, end: '</a>' }], triggers: ['<a>'] };

  it.each<[Json, Json]>([
    [{ cache_salt: 'tenant' }, { cache_salt: 'tenant' }],
    [{ priority: 3 }, { priority: 3 }],
    [{ thinking_token_budget: 5 }, { sampling_params: { thinking_token_budget: 5 } }],
    [{ vllm_xargs: { a: [1, 'x'] } }, { sampling_params: { extra_args: { a: [1, 'x'] } } }],
    [{ logprobs: 0, logprob_token_ids: [5] }, { sampling_params: { logprob_token_ids: [5] } }],
    [{ prompt_logprobs: 2 }, { sampling_params: { prompt_logprobs: 2 } }],
    [
      { structural_tag: tag },
      {
        sampling_params: { structured_outputs: guide({ structural_tag: expect.stringMatching(/^\{"structures": /) }) },
      },
    ],
    [
      { guided_json: {}, guided_whitespace_pattern: ' ?' },
      { sampling_params: { structured_outputs: guide({ json: {}, whitespace_pattern: ' ?' }) } },
    ],
    [
      { structured_outputs: { json: {}, disable_any_whitespace: true, disable_additional_properties: true } },
      {
        sampling_params: {
          structured_outputs: guide({ json: {}, disable_any_whitespace: true, disable_additional_properties: true }),
        },
      },
    ],
  ])('%j', async (body, expected) => {
    const { sampling_params: sampling, ...rest } = expected;
    expect(await received(body)).toEqual({
      ...usual,
      ...rest,
      sampling_params: { ...usual.sampling_params, ...(sampling as Json) },
    });
  });
});

describe('a completion', () => {
  const prompt = directive({ answer: 'one two three' });

  it('has the logprobs of its prompt', async () => {
    const ids = await tokensOf(prompt);
    const { body } = await complete({ prompt, prompt_logprobs: 2 });
    const [{ prompt_logprobs: logprobs, text }] = choicesOf(body) as [{ prompt_logprobs: Json[]; text: string }];
    expect([text, logprobs.length, logprobs[0]]).toEqual(['one two three', ids.length, null]);
    for (const [at, entry] of logprobs.slice(1).entries())
      expect(entry[String(ids[at + 1])]).toEqual({
        logprob: expect.any(Number),
        rank: expect.any(Number),
        decoded_token: expect.any(String),
      });
    const words = logprobs.slice(1).map((entry, at) => (entry[String(ids[at + 1])] as Json)['decoded_token']);
    expect(prompt.endsWith(words.join(''))).toBe(true);
  });

  it.each([0, 1])('scores its prompt as lm-evaluation-harness asks for it, with max_tokens %d', async (maxTokens) => {
    const ids = await tokensOf(prompt);
    const { body } = await complete({ prompt: ids, echo: true, logprobs: 1, max_tokens: maxTokens, temperature: 0 });
    const [{ text, logprobs }] = choicesOf(body) as [{ text: string; logprobs: Record<string, unknown[]> }];
    const response = maxTokens === 0 ? '' : 'one';
    expect(text).toBe(prompt + response);
    expect(logprobs['tokens']?.join('')).toBe(prompt + response);
    expect(logprobs['token_logprobs']).toHaveLength(ids.length + maxTokens);
    expect(logprobs['token_logprobs']?.slice(1).every((value) => typeof value === 'number' && value <= 0)).toBe(true);
    expect([logprobs['token_logprobs']?.[0], logprobs['top_logprobs']?.[0]]).toEqual([null, null]);
    const offsets = (logprobs['text_offset'] ?? []) as number[];
    const pieces = offsets.map((offset, at) => text.slice(offset, offsets[at + 1]));
    expect(pieces).toEqual(logprobs['tokens']);
    expect(body['usage']).toMatchObject({ prompt_tokens: ids.length, completion_tokens: maxTokens });
  });

  it('has the ids of its tokens, streamed and whole', async () => {
    const promptIds = await tokensOf(prompt);
    const ids = await tokensOf('one two three');
    const { body } = await complete({ prompt, return_token_ids: true });
    const ended = [...ids, eos];
    expect(choicesOf(body)).toMatchObject([{ prompt_token_ids: promptIds, token_ids: ended }]);
    const streamed = eventsOf((await complete({ prompt, return_token_ids: true, stream: true })).text);
    const choices = streamed.flatMap((event) => (event === '[DONE]' ? [] : choicesOf(event as Json)));
    expect(choices[0]).toMatchObject({ prompt_token_ids: promptIds });
    expect(choices.flatMap(({ token_ids: some }) => some)).toEqual(ended);
  });

  it('is that of the end of a prompt that is truncated', async () => {
    const ids = await tokensOf(`one two ${prompt}`);
    const most = ids.length - 2;
    const { body } = await complete({
      prompt: `one two ${prompt}`,
      truncate_prompt_tokens: most,
      return_token_ids: true,
    });
    expect(choicesOf(body)).toMatchObject([{ text: 'one two three', prompt_token_ids: ids.slice(2) }]);
    expect(body['usage']).toMatchObject({ prompt_tokens: most });
    const filled = await complete({ prompt: `${'word '.repeat(5000)}${prompt}`, truncate_prompt_tokens: -1 });
    expect(filled.body).toMatchObject({
      choices: [{ text: 'one two three' }],
      usage: { prompt_tokens: 4096 - 64 },
    });
  });

  it('does not end at a stop sequence within min_tokens tokens', async () => {
    const body = { prompt, stop: [' two', ' three'] };
    expect(textsOf(await complete({ ...body, min_tokens: 1 }))).toEqual(['one']);
    expect(textsOf(await complete({ ...body, min_tokens: 2 }))).toEqual(['one two']);
    expect(textsOf(await complete({ ...body, min_tokens: 3 }))).toEqual(['one two three']);
  });
});

describe('a chat', () => {
  it('has the ids and logprobs of its prompt', async () => {
    const { body } = await chat(directive({ answer: 'one two' }), { return_token_ids: true, prompt_logprobs: 0 });
    const { prompt_token_ids: promptIds, prompt_logprobs: logprobs, usage } = body as Json;
    expect(choicesOf(body)).toMatchObject([{ token_ids: [...(await tokensOf('one two')), eos] }]);
    expect(usage).toMatchObject({ prompt_tokens: (promptIds as number[]).length });
    expect((logprobs as Json[]).slice(1).map((entry) => Object.keys(entry))).toEqual(
      (promptIds as number[]).slice(1).map((id) => [String(id)]),
    );
  });
});
