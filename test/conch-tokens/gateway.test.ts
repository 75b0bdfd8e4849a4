import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { begin, countOf, release, streamedChoices, textsOf } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { post, type Response, startGateway } from '../support/gateway.ts';
import { dataUrl, sample } from '../support/image-fixtures.ts';

const model = 'tokens-toy';
let conch: Conch;
beforeAll(async () => {
  conch = await startGateway('--lora-root', tokenizerFolder('qwen3'));
});
afterAll(() => conch.stop());

const complete = (body: object) => post(`${conch.url}/v1/completions`, { model, max_tokens: 64, ...body });
const chat = (content: unknown, body: object) =>
  post(`${conch.url}/v1/chat/completions`, { model, messages: [{ role: 'user', content }], max_tokens: 64, ...body });

/** What the engine was called with. */
const received = async (body: object) => {
  const prompt = directive({ echo_parameters: true });
  const [text = ''] = textsOf(await complete({ prompt, ...body }));
  return JSON.parse(text) as { sampling_params: Record<string, unknown> } & Record<string, unknown>;
};
/** A value whose numbers have the precision of a float. */
const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, part) => (typeof part === 'number' ? Math.fround(part) : part)));
const words = ' one two three four five six';
const seen = ({ status, body }: Response) => [status, body.error?.['message'] ?? body];

describe("a completion of Conch's own vLLM model", () => {
  const answer = 'Grüße, 世界 👩‍👩‍👧‍👦, and goodbye';

  it('is the same streamed and whole, with what the engine reports', async () => {
    const prompt = directive({ answer, cached: 3, drafts: [8, 5], times: [1, 1.25, 2, 4] });
    const whole = await complete({ prompt });
    const streamed = await complete({ prompt, stream: true, stream_options: { include_usage: true } });
    expect(whole.body).toMatchObject({ choices: [{ text: answer, finish_reason: 'stop' }] });
    expect(streamedChoices(streamed)).toEqual([{ text: answer, reasons: ['stop'] }]);
    const usage = {
      prompt_tokens_details: { cached_tokens: 3 },
      completion_tokens_details: { accepted_prediction_tokens: 5, rejected_prediction_tokens: 3 },
    };
    expect(whole.body['usage']).toMatchObject(usage);
    expect(streamed.text).toContain(JSON.stringify(whole.body['usage']));
    expect(whole.headers.get('server-timing')).toMatch(/engine.*dur=/);
  });

  it.each([
    ['ends before a stop sequence', { stop: ['世界'] }, 'Grüße, '],
    ['has the stop sequence where it is wanted', { stop: ['世界'], include_stop_str_in_output: true }, 'Grüße, 世界'],
    ['ends at a stop sequence that spans tokens', { stop: ['d goodb'] }, 'Grüße, 世界 👩‍👩‍👧‍👦, an'],
  ])('%s', async (_, body, expected) => {
    const prompt = directive({ answer });
    expect(textsOf(await complete({ prompt, ...body }))).toEqual([expected]);
    expect(streamedChoices(await complete({ prompt, ...body, stream: true }))).toEqual([
      { text: expected, reasons: ['stop'] },
    ]);
  });

  it('counts the token that ended it, and ends at the token limit', async () => {
    const ended = await complete({ prompt: directive({ tokens: 3 }) });
    const cut = await complete({ prompt: directive({ tokens: 30 }), max_tokens: 3 });
    expect(ended.body).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: { completion_tokens: 4 } });
    expect(cut.body).toMatchObject({ choices: [{ finish_reason: 'length' }], usage: { completion_tokens: 3 } });
  });

  it('has the logprobs that the backend of Triton has, without that of the end token', async () => {
    const body = { prompt: directive({ answer: 'one two three' }), logprobs: 3 };
    const logprobsOf = ({ body: { choices } }: Response) =>
      (choices as { logprobs: Record<string, unknown[]> }[])[0]?.logprobs ?? {};
    const own = logprobsOf(await complete(body));
    const stock = logprobsOf(await complete({ ...body, model: 'vllm-toy' }));
    expect(own['tokens']).toHaveLength(3);
    for (const [name, values] of Object.entries(stock))
      expect(rounded(own[name])).toEqual(rounded(values.slice(0, -1)));
  });

  it('is stopped when its client leaves', async () => {
    const prompt = directive({ answer: ' word', repeat: 2000, hold_at: 5, tag: 'left' });
    const { until, leave } = begin(`${conch.url}/v1/completions`, { model, prompt, max_tokens: 2000, stream: true });
    await until('"text":" ');
    expect(await countOf(conch.url, 'left', { model, until: 'held' })).toEqual({ tokens: 5, state: 'held' });
    await leave();
    expect(await countOf(conch.url, 'left', { model, until: 'cancelled' })).toEqual({ tokens: 5, state: 'cancelled' });
  });

  it('goes on when others are stopped', async () => {
    const prompt = directive({ answer: words, hold_at: 3, tag: 'stays' });
    const request = { model, prompt, max_tokens: 64, stream: true };
    const stays = begin(`${conch.url}/v1/completions`, request);
    await stays.until('"text":" ');
    await release(conch.url, 'stays', model);
    expect(streamedChoices({ text: await stays.whole() })).toEqual([{ text: words, reasons: ['stop'] }]);
  });
});

describe("a request for Conch's own vLLM model", () => {
  it('has the sampling parameters in the names and types of vLLM', async () => {
    const { sampling_params: sampling } = await received({ logit_bias: { 5: 2 }, top_p: 0.5, seed: 7, max_tokens: 9 });
    expect(sampling).toEqual({ logit_bias: { 5: 2 }, top_p: 0.5, seed: 7, max_tokens: 9, detokenize: false });
  });

  it('has a structure as an object', async () => {
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
    const { body } = await chat('x', { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } });
    expect(body).toMatchObject({ choices: [{ message: { content: '{"a": 7}' } }] });
    const { sampling_params: sampling } = await received({ guided_choice: ['a', 'b'] });
    expect(sampling['structured_outputs']).toMatchObject({ regex: 'a|b', json: null });
  });

  it('has its images as files', async () => {
    const url = dataUrl(sample('png'));
    const { body } = await chat(
      [
        { type: 'text', text: directive({ echo_parameters: true }) },
        { type: 'image_url', image_url: { url } },
      ],
      {},
    );
    expect(body.error).toBe(undefined);
    const [{ message }] = body['choices'] as [{ message: { content: string } }];
    expect(JSON.parse(message.content)).toMatchObject({ media: { image: 1 } });
  });

  it('is refused by the model itself where its ports are reached without Conch', async () => {
    const prompt = Array.from({ length: 5000 }, () => 1);
    expect(seen(await complete({ prompt }))).toEqual([
      400,
      "This model's maximum context length is 4096 tokens. The prompt has 5000. Shorten it.",
    ]);
  });

  it('uses tools', async () => {
    const call = '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>';
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
    const { body } = await chat(directive({ answer: call }), { tools });
    expect(body).toMatchObject({
      choices: [{ finish_reason: 'tool_calls', message: { tool_calls: [{ function: { name: 'f' } }] } }],
    });
  });
});

describe("a LoRA adapter of Conch's own vLLM model", () => {
  const used = async (name: string) => (await received({ model: `${model}_lora_${name}` }))['lora'];
  const failure = (message: string, param: string, code = 'invalid_request') => ({
    error: { message, type: 'invalid_request_error', param, code },
  });

  it('is one that the server has by name', async () => {
    expect(await used('sql')).toEqual([expect.stringMatching(/^sql#\d+$/), expect.stringMatching(/adapters\/sql$/)]);
    const unknown = await complete({ model: `${model}_lora_none`, prompt: 'x' });
    expect([unknown.status, unknown.body]).toEqual([
      404,
      failure('This model has no LoRA adapter named none. It has: poems, sql.', 'model', 'model_not_found'),
    ]);
  });

  it('is loaded by path while a stream runs, and unloaded', async () => {
    const load = (lora_name: string, lora_path: string) =>
      post(`${conch.url}/v1/load_lora_adapter`, { model, lora_name, lora_path });
    const prompt = directive({ answer: words, hold_at: 3, tag: 'during load' });
    const stream = begin(`${conch.url}/v1/completions`, { model, prompt, max_tokens: 64, stream: true });
    await stream.until('"text":" ');
    expect((await load('late', 'late')).text).toBe("Success: LoRA adapter 'late' added successfully.");
    expect(await used('late')).toEqual([expect.stringMatching(/^late#\d+$/), expect.stringMatching(/adapters\/late$/)]);
    await release(conch.url, 'during load', model);
    expect(streamedChoices({ text: await stream.whole() })).toEqual([{ text: words, reasons: ['stop'] }]);
    expect((await load('late', 'late')).body).toEqual(
      failure('lora_name: the LoRA adapter late is already loaded. Unload it first.', 'lora_name'),
    );
    expect((await load('x', '../../../..')).body).toEqual(
      failure('lora_path: must lead to a folder inside LORA_ROOT.', 'lora_path'),
    );
    const unload = await post(`${conch.url}/v1/unload_lora_adapter`, { model, lora_name: 'late' });
    expect(unload.text).toBe("Success: LoRA adapter 'late' removed successfully.");
    expect((await complete({ model: `${model}_lora_late`, prompt: 'x' })).status).toBe(404);
  });
});

describe('without a tokenizer', () => {
  it('requests and responses are text', async () => {
    const plain = await startConch({ flags: ['--triton', `127.0.0.1:${inject('triton').grpcPort}`] });
    try {
      const body = { model, prompt: directive({ answer: 'one two three' }), stop: [' th'], max_tokens: 64 };
      const response = await post(`${plain.url}/v1/completions`, body);
      expect(response.body).toMatchObject({
        choices: [{ text: 'one two', finish_reason: 'stop' }],
        usage: { completion_tokens: 3 },
      });
      expect(seen(await post(`${plain.url}/v1/completions`, { ...body, logprobs: 1 }))).toEqual([
        400,
        "logprobs: It needs token ids. Set the model's tokenizer with --tokenizer.",
      ]);
    } finally {
      await plain.stop();
    }
  });
});
