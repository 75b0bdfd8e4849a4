import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import OpenAI, {
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
} from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, startGateway } from '../support/gateway.ts';
import { python } from '../support/python.ts';
import { isLeftOut } from '../support/system-program.ts';

let conch: Conch;
let client: OpenAI;
beforeAll(async () => {
  conch = await startGateway('--api-key', 'sesame');
  client = new OpenAI({ baseURL: `${conch.url}/v1`, apiKey: 'sesame', maxRetries: 0 });
});
afterAll(() => conch.stop());

const response = directive({ answer: 'one two' });
const failure = directive({ tokens: 9, error_at: 2 });
const messages = (content: string) => [{ role: 'user' as const, content }];
const model = 'vllm-toy';
const adapters = ['vllm-llama_lora_lora_a', 'vllm-llama_lora_lora_b'];
const models = [
  'tokens-toy',
  'tokens-toy_lora_poems',
  'tokens-toy_lora_sql',
  'vllm-2410',
  'vllm-2502',
  'vllm-bos',
  'vllm-embed',
  'vllm-llama',
  ...adapters,
  'vllm-queue',
  'vllm-toy',
];

describe("OpenAI's package for Node", () => {
  it('gets an answer', async () => {
    const { choices, usage } = await client.chat.completions.create({ model, messages: messages(response) });
    expect(choices[0]?.message).toEqual({ role: 'assistant', content: 'one two', refusal: null });
    expect(choices[0]?.finish_reason).toBe('stop');
    expect(usage).toEqual({ prompt_tokens: 16, completion_tokens: 3, total_tokens: 19 });
    const completion = await client.completions.create({ model, prompt: response });
    expect(completion.choices[0]?.text).toBe('one two');
  });

  it('reads a stream', async () => {
    const stream = await client.chat.completions.create({ model, messages: messages(response), stream: true });
    const deltas: unknown[] = [];
    for await (const { choices } of stream) deltas.push(choices[0]?.delta);
    expect(deltas).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { content: 'one' },
      { content: ' two' },
      {},
    ]);
    const texts: unknown[] = [];
    for await (const { choices } of await client.completions.create({ model, prompt: response, stream: true }))
      texts.push(choices[0]?.text);
    expect(texts).toEqual(['one', ' two', '']);
  });

  it('puts a stream together with its own helper', async () => {
    const stream = client.chat.completions.stream({
      model,
      messages: messages(response),
      n: 2,
      stream_options: { include_usage: true },
    });
    const { choices, usage } = await stream.finalChatCompletion();
    expect(choices.map(({ message }) => message.content)).toEqual(['one two', 'one two']);
    expect(usage?.completion_tokens).toBe(6);
  });

  it('lists models', async () => {
    const listed: string[] = [];
    for await (const { id } of client.models.list()) listed.push(id);
    expect(listed).toEqual(models);
    expect((await client.models.retrieve('vllm-toy')).owned_by).toBe('triton');
  });

  it('does not retry what Conch has retried', async () => {
    const patient = new OpenAI({ baseURL: `${conch.url}/v1`, apiKey: 'sesame', maxRetries: 2 });
    const tag = `retried-${Date.now()}`;
    const broken = messages(directive({ tag, answer: 'half', no_finish: true }));
    await expect(patient.chat.completions.create({ model, messages: broken })).rejects.toMatchObject({ status: 502 });
    const counting = messages(directive({ requests_of: tag }));
    const { choices } = await patient.chat.completions.create({ model, messages: counting });
    expect(choices[0]?.message.content).toBe('3');
  });

  it('throws its own class for each failure', async () => {
    const ask = (body: object, own = client) =>
      own.chat.completions.create({ model, messages: messages('x'), ...body }).catch((error: unknown) => error);
    const stranger = new OpenAI({ baseURL: `${conch.url}/v1`, apiKey: 'wrong', maxRetries: 0 });
    const cases: [unknown, new (...value: never[]) => Error, object][] = [
      [await ask({ temperature: 9 }), BadRequestError, { status: 400, param: 'temperature', code: 'invalid_request' }],
      [await ask({ model: 'nothing' }), NotFoundError, { status: 404, param: 'model', code: 'model_not_found' }],
      [await ask({}, stranger), AuthenticationError, { status: 401, param: null, code: 'invalid_api_key' }],
      [
        await ask({ messages: messages(failure) }),
        InternalServerError,
        { status: 502, param: null, code: 'backend_error', type: 'server_error' },
      ],
    ];
    for (const [error, kind, own] of cases) {
      expect(error).toBeInstanceOf(kind);
      expect(error).toMatchObject({ ...own, requestID: expect.any(String) });
    }
  });

  it('throws in the middle of a stream that fails', async () => {
    const stream = await client.chat.completions.create({ model, messages: messages(failure), stream: true });
    let text = '';
    const read = async (): Promise<void> => {
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    };
    const error = await read().catch((caught: unknown) => caught);
    expect(text).toBe(' w1 w2');
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ code: 'backend_error', message: 'The backend failed: the toy was told to fail' });
  });

  it('leaves a stream that it has read enough of', async () => {
    const tag = 'left by the client';
    const stateOf = async (until: string): Promise<unknown> => {
      const { choices } = await client.completions.create({ model, prompt: directive({ count_of: tag, until }) });
      return JSON.parse(choices[0]?.text ?? '');
    };
    const prompt = directive({ tokens: 2000, hold_at: 3, tag });
    const stream = await client.completions.create({ model, prompt, stream: true });
    for await (const { choices } of stream) {
      if (choices[0]?.text !== ' w3') continue;
      // Before the hold, the model might give one token more or none.
      expect(await stateOf('held')).toEqual({ tokens: 3, state: 'held' });
      stream.controller.abort();
    }
    expect(await stateOf('cancelled')).toEqual({ tokens: 4, state: 'cancelled' });
    const controller = new AbortController();
    const waiting = client.completions.create(
      { model, prompt: directive({ hold_at: 0 }) },
      { signal: controller.signal },
    );
    controller.abort();
    await expect(waiting).rejects.toBeInstanceOf(APIUserAbortError);
  });
});

describe("OpenAI's package for Python", () => {
  it('gets answers, streams and errors, sync and async', async () => {
    const { stdout, stderr } = await python('test/gateway/openai_client.py', [`${conch.url}/v1`, response, failure]);
    expect(stderr).toBe('');
    const chat = { text: 'one two', reason: 'stop', tokens: 19 };
    const completion = { text: 'one two', reason: 'stop', tokens: 11 };
    expect(JSON.parse(stdout)).toEqual({
      chat,
      'chat streamed': chat,
      'async chat': chat,
      'async chat streamed': chat,
      completion,
      'completion streamed': completion,
      'async completion': completion,
      'async completion streamed': completion,
      models,
      'async models': models,
      model: 'vllm-toy',
      raw: { ignored: 'colour', text: 'one two' },
      'not found': { class: 'NotFoundError', status: 404, code: 'model_not_found', param: 'model' },
      'bad request': { class: 'BadRequestError', status: 400, code: 'invalid_request', param: 'temperature' },
      'wrong key': { class: 'AuthenticationError', status: 401, code: 'invalid_api_key', param: null },
      backend: { class: 'InternalServerError', status: 502, code: 'backend_error', param: null },
      'backend streamed': {
        class: 'APIError',
        code: 'backend_error',
        message: 'The backend failed: the toy was told to fail',
      },
    });
  });
});

describe.skipIf(isLeftOut('curl'))('curl -N', () => {
  it('prints the events of a stream', async () => {
    const body = JSON.stringify({ model, prompt: response, stream: true });
    const headers = ['content-type: application/json', 'authorization: Bearer sesame'].flatMap((line) => ['-H', line]);
    const { stdout } = await promisify(execFile)('curl', [
      '-Nsi',
      ...headers,
      '-d',
      body,
      `${conch.url}/v1/completions`,
    ]);
    const [head = '', events = ''] = stdout.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head.toLowerCase()).toContain('content-type: text/event-stream; charset=utf-8');
    expect(
      eventsOf(events).map((event) => (event === '[DONE]' ? event : (event as { choices: object[] }).choices[0])),
    ).toEqual([
      { index: 0, text: 'one', logprobs: null, finish_reason: null },
      { index: 0, text: ' two', logprobs: null, finish_reason: null },
      { index: 0, text: '', logprobs: null, finish_reason: 'stop' },
      '[DONE]',
    ]);
  });
});
