import { type Message, Ollama, type ToolCall } from 'ollama';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { countOf } from '../gateway/requests.ts';
import { hashOf } from '../images/requests.ts';
import type { Conch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { startGateway } from '../support/gateway.ts';
import { sample } from '../support/image-fixtures.ts';
import { weatherCities as cities, weatherRounds as rounds } from '../tools/requests.ts';

let conch: Conch;
let client: Ollama;
beforeAll(async () => {
  // A template whose prompts can be read.
  conch = await startGateway('--chat-template', `vllm-bos=${inRoot('test/gateway/plain.jinja')}`);
  client = new Ollama({ host: conch.url });
});
afterAll(() => conch.stop());

const model = 'vllm-toy';
const City = z.object({ city: z.string() });
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const weather = { type: 'function', function: { name: 'get_weather', description: 'The weather', parameters: schema } };
const user = (content: string): Message[] => [{ role: 'user', content }];
const time: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
const nanoseconds: unknown = expect.any(Number);

/** What the last line of an answer says of it. */
const ended = (reason: string, tokens: unknown = expect.any(Number)) => ({
  done: true,
  done_reason: reason,
  total_duration: nanoseconds,
  load_duration: nanoseconds,
  prompt_eval_count: expect.any(Number) as unknown,
  prompt_eval_duration: nanoseconds,
  eval_count: tokens,
  eval_duration: nanoseconds,
});

/** The message of a stream, put together, and its last part. */
async function streamed(body: Parameters<Ollama['chat']>[0]) {
  let content = '';
  let thinking = '';
  const calls: ToolCall[] = [];
  let last: unknown;
  for await (const part of await client.chat({ ...body, stream: true })) {
    content += part.message.content;
    thinking += part.message.thinking ?? '';
    calls.push(...(part.message.tool_calls ?? []));
    last = part;
  }
  return { message: { role: 'assistant', content, thinking, tool_calls: calls } satisfies Message, last };
}

/** What a call is refused with. */
async function refusal(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error as { status_code: number; error: string },
  );
  return [error?.status_code, error?.error];
}

describe("Ollama's package for Node", () => {
  it('chats, and gives the whole answer', async () => {
    expect(await client.chat({ model, messages: user(directive({ answer: 'Yes, it is.' })) })).toEqual({
      model,
      created_at: time,
      message: { role: 'assistant', content: 'Yes, it is.' },
      ...ended('stop'),
    });
  });

  it('streams a chat, with its thinking', async () => {
    const messages = user(directive({ answer: '<think>\nHm.\n</think>\n\nYes, it is.' }));
    const { message: whole } = await client.chat({ model, messages, think: true });
    expect(whole.content).toBe('Yes, it is.');
    const { message, last } = await streamed({ model, messages, think: true });
    expect(message).toEqual({ ...whole, tool_calls: [] });
    expect(whole.thinking).toMatch(/Hm\./);
    expect(last).toEqual({ model, created_at: time, message: { role: 'assistant', content: '' }, ...ended('stop') });
  });

  it('knows names with the usual tag, and gives them back as they were', async () => {
    const { model: named, message } = await client.chat({
      model: 'vllm-toy:latest',
      messages: user(directive({ answer: 'Yes.' })),
    });
    expect([named, message.content]).toEqual(['vllm-toy:latest', 'Yes.']);
    expect(await refusal(client.chat({ model: 'vllm-toy:8b', messages: user('x') }))).toEqual([
      404,
      expect.stringMatching(/^The model "vllm-toy:8b" does not exist\. Available models: .+\.$/),
    ]);
  });

  it.each([false, true])('runs a loop of tools (stream %s)', async (streams) => {
    const seen: string[] = [];
    const messages = user(rounds);
    let content = '';
    for (let round = 0; round < 5; round++) {
      const body = { model, messages, tools: [weather] };
      const { message } = streams ? await streamed(body) : await client.chat({ ...body, stream: false });
      ({ content } = message);
      if (!message.tool_calls?.length) break;
      messages.push(message);
      for (const { function: called } of message.tool_calls) {
        const { city } = City.parse(called.arguments);
        seen.push(city);
        messages.push({ role: 'tool', tool_name: called.name, content: `sunny in ${city}` });
      }
    }
    expect([seen, content]).toEqual([cities, 'All are sunny.']);
  });

  it('gets answers of a form', async () => {
    const { message } = await client.chat({ model, messages: user('Where?'), format: schema });
    expect(JSON.parse(message.content)).toEqual({ city: 'toy' });
    const { response } = await client.generate({ model, prompt: 'Where?', format: 'json' });
    expect(JSON.parse(response ?? '')).toEqual(expect.any(Object));
  });

  it('generates from a prompt, streamed and not', async () => {
    const prompt = directive({ tokens: 9 });
    const options = { num_predict: 2 };
    const whole = { model, created_at: time, response: ' w1 w2', ...ended('length', 2) };
    expect(await client.generate({ model, prompt, options })).toEqual(whole);
    const parts: unknown[] = [];
    for await (const part of await client.generate({ model, prompt, options, stream: true })) parts.push(part);
    const texts = parts.map((part) => (part as { response: string }).response);
    expect([texts.join(''), parts.at(-1)]).toEqual([' w1 w2', { ...whole, response: '' }]);
  });

  it('generates with a system message, or raw', async () => {
    const prompt = directive({ echo_prompt: true });
    const requested = { model: 'vllm-bos', prompt };
    const { response } = await client.generate({ ...requested, system: 'Be brief.' });
    expect(JSON.parse(response ?? '')).toMatch(/system: Be brief\.\nuser: <<.*>>\nassistant:$/);
    const { response: raw } = await client.generate({ ...requested, raw: true });
    expect(JSON.parse(raw ?? '')).toMatch(/^(?!.*user:).*<<.*>>$/s);
  });

  it('sends options under the names of the backend', async () => {
    const options = { temperature: 0.5, top_p: 0.9, top_k: 7, seed: 3, repeat_penalty: 1.5, stop: ['END'] };
    const { response } = await client.generate({
      model,
      prompt: directive({ echo_parameters: true }),
      raw: true,
      options: { ...options, num_predict: 12 },
    });
    const { sampling_parameters: sampling } = JSON.parse(response ?? '') as { sampling_parameters: unknown };
    const { repeat_penalty: repetition_penalty, ...others } = options;
    expect(sampling).toMatchObject({ ...others, repetition_penalty, max_tokens: 12 });
  });

  it('sends images as they are', async () => {
    const png = sample('png');
    const content = directive({ echo_images: true });
    const { message } = await client.chat({ model, messages: [{ role: 'user', content, images: [png] }] });
    expect(JSON.parse(message.content)).toEqual([hashOf(png)]);
    const { response } = await client.generate({ model, prompt: content, images: [png.toString('base64')] });
    expect(JSON.parse(response ?? '')).toEqual([hashOf(png)]);
  });

  it('makes the vectors that OpenAI clients get', async () => {
    const input = ['a fox', 'a dog'];
    const response = await fetch(`${conch.url}/v1/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'vllm-embed', input }),
    });
    const { data, usage } = (await response.json()) as {
      data: { embedding: number[] }[];
      usage: { prompt_tokens: number };
    };
    const vectors = data.map(({ embedding }) => embedding);
    expect(await client.embed({ model: 'vllm-embed', input })).toEqual({
      model: 'vllm-embed',
      embeddings: vectors,
      total_duration: nanoseconds,
      load_duration: nanoseconds,
      prompt_eval_count: usage.prompt_tokens,
    });
    expect(await client.embeddings({ model: 'vllm-embed', prompt: 'a fox' })).toEqual({ embedding: vectors[0] });
  });

  it('lists the models, those that are loaded, and shows one', async () => {
    const { models } = await client.list();
    const names = models.map(({ name }) => name);
    expect(names).toContain('vllm-toy:latest');
    expect((await client.ps()).models.map(({ name }) => name)).toEqual(names);
    const toy = models.find(({ name }) => name === 'vllm-toy:latest');
    expect(toy).toEqual({
      name: 'vllm-toy:latest',
      model: 'vllm-toy:latest',
      modified_at: time,
      size: 0,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      details: expect.objectContaining({ format: 'vllm', parent_model: '' }),
    });
    const described = (await (await fetch(`${conch.url}/v1/models/vllm-toy`)).json()) as { max_model_len: number };
    expect(await client.show({ model: 'vllm-toy:latest' })).toEqual({
      modelfile: '',
      parameters: '',
      template: expect.stringContaining('<|im_start|>'),
      details: toy?.details,
      model_info: {
        'general.architecture': 'unknown',
        'general.basename': 'vllm-toy',
        'unknown.context_length': described.max_model_len,
      },
      capabilities: ['completion', 'tools', 'vision', 'thinking', 'embedding'],
      modified_at: time,
    });
  });

  it('may ask for a model alone, which is there', async () => {
    const there = { model, created_at: time, done: true, done_reason: 'load' };
    expect(await client.generate({ model, prompt: '' })).toEqual({ ...there, response: '' });
    expect(await client.chat({ model })).toEqual({ ...there, message: { role: 'assistant', content: '' } });
    expect(await refusal(client.generate({ model, prompt: '', keep_alive: 0 }))).toEqual([
      400,
      'keep_alive: unloading a model with 0 is not supported. Send POST /v1/models/vllm-toy/unload.',
    ]);
  });

  it('sees faults in its own shape', async () => {
    const none = [404, expect.stringMatching(/^The model "nobody" does not exist\. Available models: .+\.$/)];
    expect(await refusal(client.chat({ model: 'nobody', messages: user('x') }))).toEqual(none);
    expect(await refusal(client.chat({ model: 'nobody', messages: user('x'), stream: true }))).toEqual(none);
    expect(await refusal(client.show({ model: 'nobody' }))).toEqual([404, 'The model "nobody" does not exist.']);
    expect(await refusal(client.generate({ model, prompt: 'x', options: { temperature: 3 } }))).toEqual([
      400,
      'options.temperature: must be at most 2, not 3.',
    ]);
  });

  it('pulls a served model at once', async () => {
    expect(await client.pull({ model })).toEqual({ status: 'success' });
    const lines = [];
    for await (const line of await client.pull({ model: `${model}:latest`, stream: true })) lines.push(line);
    expect(lines).toEqual([{ status: 'pulling manifest' }, { status: 'success' }]);
    const { version } = await client.version();
    expect(version).toBe('0.13.4');
  });

  it('uses a listed name on every path', async () => {
    const { models } = await client.list();
    const listed = models.map(({ name }) => name).find((name) => name === `${model}:latest`);
    const post = async (path: string, body: object) => {
      const response = await fetch(`${conch.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: listed, ...body }),
      });
      return [response.status, ((await response.json()) as { model?: string }).model];
    };
    const messages = user(directive({ tokens: 2 }));
    expect(await post('/v1/chat/completions', { messages })).toEqual([200, model]);
    expect(await post('/v1/responses', { input: messages })).toEqual([200, model]);
    expect(await post('/v1/messages', { messages, max_tokens: 5 })).toEqual([200, model]);
    const described = await fetch(`${conch.url}/v1/models/${listed}`);
    expect([described.status, ((await described.json()) as { id: string }).id]).toEqual([200, model]);
  });

  it('is told what to do where it would change a model', async () => {
    const notServed =
      'The model "x" does not exist. Conch downloads no models: ' +
      'add it to the model repository of a Triton server, or start Conch with --model.';
    expect(await refusal(client.pull({ model: 'x' }))).toEqual([404, notServed]);
    const stream = await client.pull({ model: 'x', stream: true });
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow(notServed);
    expect(await refusal(client.delete({ model }))).toEqual([
      400,
      'DELETE /api/delete is not supported. POST /v1/models/NAME/unload unloads the model. ' +
        'Its files are in the model repository of its server.',
    ]);
  });

  it('cancels the generation of a stream that it aborts', async () => {
    const messages = user(directive({ tokens: 2000, hold_at: 5, tag: 'ollama' }));
    const stream = await client.chat({ model, messages, stream: true });
    let seen = '';
    for await (const part of stream) {
      seen += part.message.content;
      if (seen.endsWith(' w5')) break;
    }
    expect(await countOf(conch.url, 'ollama', { until: 'held' })).toEqual({ tokens: 5, state: 'held' });
    stream.abort();
    expect(await countOf(conch.url, 'ollama', { until: 'cancelled' })).toEqual({ tokens: 6, state: 'cancelled' });
  });
});
