import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChatRequest } from '../../src/requests/chat-request.ts';
import { CompletionRequest } from '../../src/requests/completion-request.ts';
import type { Conch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, type Response, startGateway } from '../support/gateway.ts';
import { chatRows } from './chat-fields.ts';
import { completionRows } from './completion-fields.ts';
import type { Row } from './field-rows.ts';
import { chatReference, completionReference } from './reference.ts';
import { countOf, receivedFor, user } from './requests.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-fields-'));
let conch: Conch;
let strict: Conch;
beforeAll(async () => {
  const config = join(folder, 'conch.json');
  writeFileSync(config, JSON.stringify({ models: { 'vllm-toy': { defaults: { max_tokens: 4096 } } } }));
  const flags = ['--chat-template', inRoot('test/gateway/plain.jinja'), '--config', config];
  [conch, strict] = await Promise.all([startGateway(...flags), startGateway(...flags, '--strict-fields')]);
});
afterAll(async () => {
  await Promise.all([conch.stop(), strict.stop()]);
  rmSync(folder, { recursive: true });
});

const echo = directive({ echo_parameters: true });

const apis = [
  {
    name: 'chat',
    path: '/v1/chat/completions',
    schema: ChatRequest,
    rows: chatRows,
    reference: chatReference,
    basic: { model: 'vllm-toy', messages: user(echo) },
    tagged: (tag: string) => ({ model: 'vllm-toy', messages: user(directive({ tag, answer: 'no' })) }),
    prompt: `user: ${echo}\nassistant:`,
  },
  {
    name: 'completions',
    path: '/v1/completions',
    schema: CompletionRequest,
    rows: completionRows,
    reference: completionReference,
    basic: { model: 'vllm-toy', prompt: echo },
    tagged: (tag: string) => ({ model: 'vllm-toy', prompt: directive({ tag, answer: 'no' }) }),
    prompt: echo,
  },
] as const;

describe.each(apis)('every field of $name', ({ name, path, schema, rows, reference, basic, tagged, prompt }) => {
  const ask = (body: object, to = conch): Promise<Response> => post(to.url + path, { ...basic, ...body });
  /** All that reaches the model when a request says nothing but its prompt. */
  const usual = {
    sampling_parameters: { max_tokens: 4096 },
    inputs: {
      text_input: [prompt],
      stream: [false],
      exclude_input_in_output: [true],
      sampling_parameters: [expect.any(String)],
      return_finish_reason: [true],
      return_num_input_tokens: [true],
      return_num_output_tokens: [true],
    },
  };
  const refusal = (field: string) => ({
    error: {
      message: expect.stringMatching(new RegExp(`^${field}: .{5,}`)),
      type: 'invalid_request_error',
      param: field,
      code: 'unsupported_parameter',
    },
  });

  /** What a request that must pass has come to. */
  const outcomeOf = async (body: object) => {
    const response = await ask(body);
    const { status, headers } = response;
    const ignored = headers.get('x-conch-ignored');
    return { status, ignored, received: status === 200 ? receivedFor(response) : response.body };
  };
  const plain = { status: 200, ignored: null, received: [usual] };
  const rowsWhere = <Key extends string>(key: Key) =>
    Object.entries<Row>(rows).flatMap(([field, { send, outcome }]) =>
      key in outcome ? [{ field, send, outcome: outcome as Extract<Row['outcome'], Record<Key, unknown>> }] : [],
    );

  it('has a row in the table', () => {
    expect(Object.keys(rows).toSorted()).toEqual(Object.keys(schema.shape).toSorted());
  });

  it('may be left out or null', async () => {
    const nulls = Object.keys(rows).filter((field) => !(field in basic));
    expect(await outcomeOf({})).toEqual(plain);
    expect(await outcomeOf(Object.fromEntries(nulls.map((field) => [field, null])))).toEqual(plain);
  });

  it.each(rowsWhere('sent'))('$field reaches the model', async ({ send, outcome }) => {
    const received = {
      sampling_parameters: { ...usual.sampling_parameters, ...outcome.sent },
      inputs: { ...usual.inputs, ...outcome.inputs },
    };
    expect(await outcomeOf(send)).toEqual({ ...plain, received: [received] });
  });

  it.each(rowsWhere('seen'))('$field shows in the answer', async ({ send, outcome }) => {
    const response = await ask(send);
    expect([response.status, response.headers.get('x-conch-ignored'), response.body.error]).toEqual([
      200,
      null,
      undefined,
    ]);
    expect(outcome.seen(response)).toEqual(outcome.is);
  });

  it.each(rowsWhere('without'))('$field has no effect here', async ({ send }) => {
    expect(await outcomeOf(send)).toEqual(plain);
  });

  it.each(rowsWhere('refused'))('$field is refused by name', async ({ field, send, outcome }) => {
    const { status, body } = await ask(send);
    expect({ status, body }).toEqual({ status: 400, body: refusal(field) });
    for (const value of outcome.harmless ?? []) expect(await outcomeOf({ [field]: value })).toEqual(plain);
  });

  it('is a 400 with its name when its value is wrong, and nothing is sent to the backend', async () => {
    const tag = `bad values of ${name}`;
    for (const [field, { bad = [] }] of Object.entries<Row>(rows))
      for (const [value, param = field] of bad) {
        const { status, body } = await post(conch.url + path, { ...tagged(tag), [field]: value });
        const named = param.replaceAll(/[[\].]/g, '\\$&');
        expect({ value, status, body }).toEqual({
          value,
          status: 400,
          body: {
            error: {
              message: expect.stringMatching(new RegExp(`^(?:${named}: .{5,}|The field ${named} is required\\.)$`)),
              type: 'invalid_request_error',
              param,
              code: 'invalid_request',
            },
          },
        });
      }
    expect(await countOf(conch.url, tag)).toEqual({ state: 'unknown' });
  });

  it("is honoured, named or refused when all of OpenAI's reference is sent: none is dropped in silence", async () => {
    const fields = Object.entries(reference);
    for (const [field, sent] of fields) {
      expect(rows).toHaveProperty(field);
      if (!('alone' in sent)) continue;
      const { status, body } = await ask({ [field]: sent.alone });
      expect({ status, body }).toEqual({ status: 400, body: refusal(field) });
    }
    const together = fields.flatMap(([field, sent]) => ('together' in sent ? [[field, sent.together] as const] : []));
    const response = await ask(Object.fromEntries(together), strict);
    expect([response.status, response.headers.get('x-conch-ignored'), response.body.error]).toEqual([
      200,
      null,
      undefined,
    ]);
    const sampling_parameters = {
      max_tokens: 400,
      temperature: 0.25,
      top_p: 0.5,
      frequency_penalty: 0.5,
      presence_penalty: -0.5,
      stop: ['END'],
      logprobs: 3,
    };
    const text = name === 'chat' ? `user: ${echo}\neffort: low\nverbosity: medium\nassistant:` : prompt;
    const inputs = { ...usual.inputs, text_input: [text], stream: [true], return_logprobs: [true] };
    expect(receivedFor(response)).toEqual([
      { sampling_parameters: { ...sampling_parameters, seed: 7 }, inputs },
      { sampling_parameters: { ...sampling_parameters, seed: 8 }, inputs },
    ]);
    expect(eventsOf(response.text).at(-2)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  });

  it('that nobody knows is named in a header and in the log, and is a 400 with --strict-fields', async () => {
    const response = await ask({ colour: 'red', 'a b': null, '\ud800': 1 });
    expect([response.status, response.headers.get('x-conch-ignored')]).toEqual([200, 'colour, a%20b, %EF%BF%BD']);
    expect(receivedFor(response)).toEqual([usual]);
    const id = response.headers.get('x-request-id');
    const line = await conch.logged(({ reqId, ignored }) => reqId === id && ignored !== undefined);
    expect(line).toMatchObject({ level: 'warn', message: 'ignored request fields' });
    expect(line['ignored']).toEqual(['colour', 'a b', '\ud800']);

    const streamed = await ask({ colour: 'red', stream: true });
    expect([streamed.status, streamed.headers.get('x-conch-ignored')]).toEqual([200, 'colour']);

    const tag = `strict fields of ${name}`;
    const { status, headers, body } = await post(strict.url + path, { ...tagged(tag), colour: 'red' });
    expect([status, headers.get('x-conch-ignored')]).toEqual([400, null]);
    expect(body).toEqual({
      error: {
        message: 'colour: unknown field. Remove it.',
        type: 'invalid_request_error',
        param: 'colour',
        code: 'unknown_field',
      },
    });
    expect(await countOf(strict.url, tag)).toEqual({ state: 'unknown' });
  });
});

describe('values that mean more than one thing', () => {
  const complete = async (body: object) => {
    const response = await post(`${conch.url}/v1/completions`, { model: 'vllm-toy', prompt: echo, ...body });
    expect(response.status).toBe(200);
    return receivedFor(response)[0]?.sampling_parameters;
  };

  it('sends top_p 0, which vLLM refuses, as the smallest that leaves one token', async () => {
    expect(await complete({ top_p: 0 })).toEqual({ max_tokens: 4096, top_p: 1e-6 });
  });

  it('takes a single stop text, and none', async () => {
    expect(await complete({ stop: 'END' })).toEqual({ max_tokens: 4096, stop: ['END'] });
    expect(await complete({ stop: [] })).toEqual({ max_tokens: 4096 });
  });

  it('takes the ends of every range', async () => {
    const lowest = { temperature: 0, frequency_penalty: -2, presence_penalty: -2, top_k: -1, min_p: 0, min_tokens: 0 };
    const highest = { temperature: 2, frequency_penalty: 2, presence_penalty: 2, min_p: 1, top_p: 1, min_tokens: 4096 };
    expect(await complete(lowest)).toEqual({ max_tokens: 4096, ...lowest });
    expect(await complete(highest)).toEqual({ max_tokens: 4096, ...highest });
    expect(await complete({ seed: -1 })).toEqual({ max_tokens: 4096, seed: -1 });
  });

  it('refuses fields that contradict each other', async () => {
    const cases: [object, string, string][] = [
      [
        { max_tokens: 5, max_completion_tokens: 6 },
        'max_tokens',
        'max_tokens: differs from max_completion_tokens. Send only one of them.',
      ],
      [
        { max_tokens: 5, min_tokens: 6 },
        'min_tokens',
        'min_tokens: must be at most 5, the token limit of this response.',
      ],
      [{ top_logprobs: 2 }, 'top_logprobs', 'top_logprobs: only allowed when logprobs is true.'],
      [
        { stream_options: { include_usage: true } },
        'stream_options',
        'stream_options: only allowed when stream is true.',
      ],
      [
        { continue_final_message: true, add_generation_prompt: true },
        'continue_final_message',
        'continue_final_message: cannot be true if add_generation_prompt is true.',
      ],
    ];
    for (const [body, param, message] of cases) {
      const response = await post(`${conch.url}/v1/chat/completions`, {
        model: 'vllm-toy',
        messages: user('x'),
        ...body,
      });
      expect([response.status, response.body]).toEqual([
        400,
        { error: { message, type: 'invalid_request_error', param, code: 'invalid_request' } },
      ]);
    }
  });
});
