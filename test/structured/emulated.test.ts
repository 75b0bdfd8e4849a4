import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readInTwoParts, streamedChoices, textsOf, user } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { inRoot, tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, type Response } from '../support/gateway.ts';
import { startTrtllm, type Trtllm } from '../support/trtllm.ts';

const patience = 180_000;
let triton: Trtllm;
let conch: Conch;
let refusing: Conch;

beforeAll(async () => {
  triton = await startTrtllm({ models: ['llmapi'], release: 'main' });
  const flags = [
    '--triton',
    `127.0.0.1:${triton.grpcPort}`,
    '--triton',
    `127.0.0.1:${inject('triton').grpcPort}`,
    '--tokenizer',
    tokenizerFolder('qwen3'),
    '--tokenizer',
    `llmapi=${triton.tokenizerFolder}`,
    '--chat-template',
    inRoot('test/gateway/plain.jinja'),
  ];
  conch = await startConch({ flags });
  refusing = await startConch({ flags: [...flags, '--structured-retries', '0'] });
}, patience);
afterAll(async () => {
  await conch.stop();
  await refusing.stop();
  await triton.stop();
});

const schema = {
  type: 'object',
  properties: { a: { type: 'integer' }, b: { $ref: '#/$defs/name' } },
  required: ['a'],
  additionalProperties: false,
  $defs: { name: { type: 'string', pattern: '^[a-z]+$' } },
};
const format = { type: 'json_schema', json_schema: { name: 's', schema } };
const right = '{"a": 1, "b": "x"}';

const complete = (body: object, at: Conch = conch): Promise<Response> =>
  post(`${at.url}/v1/completions`, { model: 'llmapi', max_tokens: 200, ...body });
const chat = (body: object): Promise<Response> =>
  post(`${conch.url}/v1/chat/completions`, { model: 'llmapi', max_tokens: 200, ...body });
const headerOf = ({ headers }: Response) => headers.get('x-conch-structured');
const usageOf = ({ body }: Response) => body['usage'] as Record<'prompt_tokens' | 'completion_tokens', number>;
const bySeed = (...responses: string[]) => directive({ answer_by_seed: responses });

/** What an answer without its form is told. */
const invalid = (error: string, { field = 'response_format', tries = 3 } = {}) => ({
  status: 502,
  header: `emulated; tries=${tries}`,
  error: {
    code: 'structured_output_invalid',
    type: 'server_error',
    param: field,
    message: `The response does not match the requested structure${tries > 1 ? ` after ${tries} tries` : ''}: ${error}.`,
  },
});
const refusalOf = (response: Response) => ({
  status: response.status,
  header: headerOf(response),
  error: response.body.error,
});

describe('a form that the backend cannot guide to', () => {
  it.each([
    ['response_format', { response_format: format }, right],
    ['response_format', { response_format: { type: 'json_object' } }, ' {"any": ["thing"]}\n'],
    ['guided_json', { guided_json: JSON.stringify(schema) }, '{"a":-3}'],
    ['structured_outputs', { structured_outputs: { choice: ['yes', 'no'] } }, 'no'],
    ['guided_regex', { guided_regex: '[a-z]+ [0-9]{2}' }, 'abc 42'],
  ])('is found in an answer that has it: %s', async (_, option, text) => {
    const plain = await complete({ prompt: directive({ answer: text }) });
    const response = await complete({ prompt: directive({ answer: text }), ...option });
    expect([response.status, textsOf(response), headerOf(response)]).toEqual([200, [text], 'emulated; tries=1']);
    expect([usageOf(response), headerOf(plain)]).toEqual([usageOf(plain), null]);
  });

  it('is tried for again with another seed, and the usage counts all tries', async () => {
    const prompt = bySeed('Here it is.', right, '{"a": "x"}');
    const alone = await complete({ prompt, seed: 0 });
    const last = await complete({ prompt, seed: 1 });
    const response = await complete({ prompt, seed: 0, response_format: format });
    expect([textsOf(response), headerOf(response)]).toEqual([[right], 'emulated; tries=2']);
    expect(usageOf(response)).toEqual({
      prompt_tokens: 2 * usageOf(alone).prompt_tokens,
      completion_tokens: usageOf(alone).completion_tokens + usageOf(last).completion_tokens,
      total_tokens: expect.any(Number),
    });
  });

  it('is tried for again for each choice alone', async () => {
    // The seeds of two choices: 0 and 1, then 2 and 3, then 4 and 5.
    const prompt = bySeed('bad', '{"a":1}', 'bad', 'bad', '{"a":4}', 'bad');
    const response = await complete({ prompt, seed: 0, n: 2, response_format: format });
    expect([textsOf(response), headerOf(response)]).toEqual([['{"a":4}', '{"a":1}'], 'emulated; tries=3']);
    expect((response.body['choices'] as { index: number }[]).map(({ index }) => index)).toEqual([0, 1]);
  });

  it.each([
    ['it is not JSON', 'Here it is: {}', { response_format: format }],
    ['it is not JSON', '{"a": 1', { response_format: format }],
    ['$.a must be of type integer', '{"a": "1"}', { response_format: format }],
    ['$.b must match the pattern "^[a-z]+$"', '{"a": 1, "b": "B"}', { response_format: format }],
    ['it is not JSON', '[1]', { response_format: { type: 'json_object' } }],
  ])('is never said to be there when it is not: %s', async (error, text, option) => {
    const response = await complete({ prompt: directive({ answer: text }), ...option });
    expect(refusalOf(response)).toEqual(invalid(error));
  });

  it('is not there in an answer that was cut off', async () => {
    const prompt = directive({ answer: right });
    const response = await complete({ prompt, response_format: format, max_tokens: 3 });
    expect(refusalOf(response)).toEqual(invalid('it was cut off at the token limit'));
  });

  it('is not tried for again where the answer would be the same', async () => {
    const response = await complete({ prompt: directive({ answer: 'maybe' }), guided_choice: ['yes'], temperature: 0 });
    expect(refusalOf(response)).toEqual(invalid('it is none of the choices', { field: 'guided_choice', tries: 1 }));
  });

  it('is compared with an answer exactly when it is a choice, and from end to end when it is a pattern', async () => {
    const prompt = directive({ answer: 'yes!' });
    const choice = await complete({ prompt, guided_choice: ['yes'] });
    const pattern = await complete({ prompt, structured_outputs: { regex: 'yes' } });
    expect([refusalOf(choice), refusalOf(pattern)]).toEqual([
      invalid('it is none of the choices', { field: 'guided_choice' }),
      invalid('it does not match the regular expression', { field: 'structured_outputs' }),
    ]);
  });
});

describe('a chat whose form the backend cannot guide to', () => {
  it.each(['llmapi', 'vllm-2410'])(
    'tells the model of %s the form, and the second time what was wrong',
    async (model) => {
      const messages = user(directive({ echo_prompt: true }));
      const reported = await chat({
        model,
        messages,
        response_format: { type: 'json_schema', json_schema: { name: 's' } },
      });
      const prompt = JSON.parse(textsOf(reported)[0] ?? '') as string;
      expect(prompt).toContain('Answer with JSON that is valid by this JSON schema, and nothing else');
      // The wrong answer is in the second prompt, and with it what the toy is to say to that.
      const response = await chat({
        model,
        messages: user(directive({ answer: `No. ${directive({ answer: right })}` })),
        response_format: format,
      });
      expect([textsOf(response), headerOf(response)]).toEqual([[right], 'emulated; tries=2']);
      expect(response.body['usage']).toMatchObject({ prompt_tokens: expect.any(Number) });
    },
  );

  it('adds to the system message that is there', async () => {
    const reported = await chat({
      messages: [{ role: 'system', content: 'Be brief.' }, ...user(directive({ echo_prompt: true }))],
      guided_json: {},
    });
    const prompt = JSON.parse(textsOf(reported)[0] ?? '') as string;
    expect(prompt).toMatch(/Be brief\.\n\nAnswer with JSON that is valid by this JSON schema/);
  });

  it('ends with an error when no try has it', async () => {
    const response = await chat({
      messages: user(directive({ answer: 'No.' })),
      response_format: { type: 'json_object' },
    });
    expect(refusalOf(response)).toEqual(invalid('it is not JSON'));
  });
});

describe('a stream whose form the backend cannot guide to', () => {
  const stream = { stream: true, response_format: format };
  const inTwoParts = (orders: object, fields: object = {}): Promise<string> =>
    readInTwoParts(conch.url, (held) => {
      const prompt = directive({ ...orders, ...held });
      return { model: 'llmapi', max_tokens: 200, prompt, response_format: format, ...fields };
    });

  it.each(['llmapi', 'vllm-2410'])('is as any other when its answer has the form (%s)', async (model) => {
    const response = await complete({ model, prompt: directive({ answer: right }), ...stream });
    expect(streamedChoices(response)).toEqual([{ text: right, reasons: ['stop'] }]);
    expect(headerOf(response)).toBe('emulated; tries=1');
  });

  it.each([
    ['{"a": 1, "b": 5}', '$.b must be of type string', '{"a": 1, "b": 5}'],
    ['{"a": 1, b: 5}', 'it is not JSON', '{"a": 1,'],
    ['{"a": 1} and more', 'it is not JSON', '{"a": 1}'],
    ['{"a": 1', 'it is not JSON', '{"a": 1'],
  ])('ends with an error at the first fault: %s', async (text, error, longest) => {
    const events = eventsOf(await inTwoParts({ answer: text })) as {
      choices?: { text: string; finish_reason: unknown }[];
      error?: object;
    }[];
    expect(events.pop()).toEqual({ error: invalid(error, { tries: 1 }).error });
    const seen = events.map(({ choices }) => choices?.[0]?.text ?? '').join('');
    expect([longest.startsWith(seen.trimEnd()), seen.length > 3]).toEqual([true, true]);
    expect(events.every(({ choices }) => choices?.[0]?.finish_reason === null)).toBe(true);
  });

  it('keeps the status of a fault that is seen before anything was sent', async () => {
    const response = await chat({ messages: user(directive({ answer: 'No.' })), ...stream });
    expect(refusalOf(response)).toEqual(invalid('it is not JSON', { tries: 1 }));
  });

  it('says length nowhere when an answer was cut off', async () => {
    const text = await inTwoParts({ answer: right }, { max_tokens: 4 });
    expect(eventsOf(text).at(-1)).toMatchObject({
      error: { message: expect.stringContaining('cut off'), code: 'structured_output_invalid' },
    });
    expect(text).not.toMatch(/"finish_reason":"/);
  });
});

describe('what cannot be emulated', () => {
  it.each([
    [{ guided_grammar: 'root ::= "a"' }, 'guided_grammar'],
    [{ structured_outputs: { grammar: 'root ::= "a"' } }, 'structured_outputs'],
    [{ guided_json: { items: { unevaluatedItems: false } } }, 'guided_json.items.unevaluatedItems'],
    [{ guided_json: { 'x-mine': 1 } }, 'guided_json.x-mine'],
  ])('is refused by name: %j', async (option, param) => {
    const { status, body } = await complete({ prompt: 'x', ...option });
    expect([status, body.error?.['code'], body.error?.['param']]).toEqual([400, 'unsupported_parameter', param]);
  });

  it('is everything with --structured-retries 0', async () => {
    const { status, body } = await complete({ prompt: 'x', response_format: format }, refusing);
    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({ code: 'unsupported_parameter', param: 'response_format' }),
    ]);
  });
});

describe('a form that is not to be had', () => {
  const bad = (schema: unknown) => ({ response_format: { type: 'json_schema', json_schema: { name: 's', schema } } });
  const location = 'response_format.json_schema.schema';
  let deep: object = {};
  for (let level = 0; level < 100; level++) deep = { items: deep };

  it.each<[object, string]>([
    [bad({ properties: { x: { type: 'banana' } } }), `${location}.properties.x.type`],
    [bad({ items: { $ref: '#/nowhere' } }), `${location}.items.$ref`],
    [bad(deep), `${location}${'.items'.repeat(64)}`],
    [bad({ description: 'x'.repeat(2 ** 20) }), location],
    [bad({ pattern: '(a{1000}){1000}' }), `${location}.pattern`],
    [{ guided_json: { enum: [] } }, 'guided_json.enum'],
    [{ structured_outputs: { json: '{"minItems":2,"maxItems":1}' } }, 'structured_outputs.json.minItems'],
    [{ guided_regex: '(' }, 'guided_regex'],
    [{ structured_outputs: { regex: `(${'a'.repeat(5000)})` } }, 'structured_outputs.regex'],
  ])('is a 400 that names the place, whatever the backend: %#', async (option, param) => {
    for (const model of ['llmapi', 'vllm-toy']) {
      const { status, body } = await complete({ model, prompt: 'x', ...option });
      expect([status, body.error?.['code'], body.error?.['param']]).toEqual([400, 'invalid_request', param]);
    }
  });

  it('is a 400 in a tool that must be called', async () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: { properties: { x: { enum: [] } } } } }];
    const { status, body } = await chat({ model: 'vllm-toy', messages: user('x'), tools, tool_choice: 'required' });
    expect([status, body.error?.['param']]).toEqual([400, 'tools[0].function.parameters.properties.x.enum']);
  });

  it('is a 400 when a pattern runs for ever, while the event loop is free for others', async () => {
    const prompt = directive({ answer: `"${'a'.repeat(60)}!"` });
    const state = { isOver: false };
    const slow = complete({ prompt, guided_json: { pattern: '^(a+)+$' } }).finally(() => {
      state.isOver = true;
    });
    let completed = 0;
    while (!state.isOver) {
      await fetch(`${conch.url}/health/live`);
      completed++;
    }
    const { status, body } = await slow;
    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({
        message: 'guided_json: takes too long to check against a response. Simplify it.',
        param: 'guided_json',
      }),
    ]);
    expect(completed).toBeGreaterThan(10);
    const next = await complete({ prompt: directive({ answer: '"b"' }), guided_json: { pattern: '^b$' } });
    expect(textsOf(next)).toEqual(['"b"']);
  });
});
