import Anthropic, { BadRequestError, NotFoundError } from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hashOf } from '../images/requests.ts';
import type { Conch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { post, startGateway } from '../support/gateway.ts';
import { sample } from '../support/image-fixtures.ts';
import { pythonJson } from '../support/python.ts';
import { anyId, weatherCities as cities, weatherRounds as rounds, written } from '../tools/requests.ts';

let conch: Conch;
let client: Anthropic;
beforeAll(async () => {
  // A template whose prompts can be read.
  conch = await startGateway('--chat-template', `vllm-bos=${inRoot('test/gateway/plain.jinja')}`);
  client = new Anthropic({ baseURL: conch.url, apiKey: 'none', maxRetries: 0 });
});
afterAll(() => conch.stop());

const model = 'vllm-toy';
const City = z.object({ city: z.string() });
const weather: Anthropic.Tool = {
  name: 'get_weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const requested = (content: string, more: object = {}) => ({
  model,
  max_tokens: 1000,
  messages: [{ role: 'user' as const, content }],
  ...more,
});
const textsOf = ({ content }: Anthropic.Message) =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : []));

/** The prompt whose ids the model returns. Its text would be read as tool calls. */
async function promptOf(ids = ''): Promise<string> {
  const { body } = await post(`${conch.url}/detokenize`, { model, tokens: JSON.parse(ids) as number[] });
  return String(body['prompt']);
}

describe("Anthropic's package for Node", () => {
  it('creates and streams a message, with its thinking', async () => {
    const body = requested(directive({ answer: '<think>\nHm.\n</think>\n\nYes, it is.' }), { system: 'Be brief.' });
    const created = await client.messages.create(body);
    expect([created.stop_reason, created.role, created.model]).toEqual(['end_turn', 'assistant', model]);
    expect(created.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
    expect(textsOf(created)).toEqual(['Yes, it is.']);
    const stream = client.messages.stream(body);
    let text = '';
    stream.on('text', (piece) => {
      text += piece;
    });
    const whole = await stream.finalMessage();
    expect([text, whole.content, whole.usage.output_tokens]).toEqual([
      'Yes, it is.',
      created.content,
      created.usage.output_tokens,
    ]);
  });

  it.each([false, true])('runs a loop of tools (stream %s)', async (streams) => {
    const seen: string[] = [];
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: rounds }];
    let last: Anthropic.Message | undefined;
    for (let round = 0; round < 5; round++) {
      const body = { model, max_tokens: 1000, messages, tools: [weather] };
      last = streams ? await client.messages.stream(body).finalMessage() : await client.messages.create(body);
      if (last.stop_reason !== 'tool_use') break;
      const calls = last.content.filter((block) => block.type === 'tool_use');
      messages.push({ role: 'assistant', content: last.content });
      const results = calls.map(({ id, input }) => {
        const { city } = City.parse(input);
        seen.push(city);
        return { type: 'tool_result' as const, tool_use_id: id, content: `sunny in ${city}` };
      });
      messages.push({ role: 'user', content: results });
    }
    expect([seen, last && textsOf(last)]).toEqual([cities, ['All are sunny.']]);
  });

  it.each([{ type: 'any' as const }, { type: 'tool' as const, name: 'get_weather' }])(
    'insists on a call: %j',
    async (choice) => {
      const { content, stop_reason: reason } = await client.messages.create(
        requested('Where?', { tools: [weather], tool_choice: choice }),
      );
      expect([content, reason]).toMatchObject([[{ type: 'tool_use', input: { city: 'toy' } }], 'tool_use']);
    },
  );

  it.each([false, true])('says which stop sequence ended the answer (stream %s)', async (streams) => {
    const body = requested(directive({ answer: 'One, two; three.' }), { stop_sequences: [';', 'three'] });
    const message = streams ? await client.messages.stream(body).finalMessage() : await client.messages.create(body);
    expect([textsOf(message), message.stop_reason, message.stop_sequence]).toEqual([
      ['One, two'],
      'stop_sequence',
      ';',
    ]);
    const cut = await client.messages.create(requested(directive({ tokens: 9 }), { max_tokens: 2 }));
    expect([textsOf(cut), cut.stop_reason, cut.stop_sequence]).toEqual([[' w1 w2'], 'max_tokens', null]);
  });

  it('goes on with a last message of the assistant', async () => {
    const messages = [
      { role: 'user' as const, content: directive({ echo_prompt: true }) },
      { role: 'assistant' as const, content: 'It begins' },
    ];
    const message = await client.messages.create({ model: 'vllm-bos', max_tokens: 1000, messages });
    expect(JSON.parse(textsOf(message)[0] ?? '')).toMatch(/\nassistant: It begins$/);
  });

  it('sends images as they are', async () => {
    const png = sample('png');
    const data = png.toString('base64');
    const message = await client.messages.create({
      model,
      max_tokens: 1000,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
            { type: 'text', text: directive({ echo_images: true }) },
          ],
        },
      ],
    });
    expect(JSON.parse(textsOf(message)[0] ?? '')).toEqual([hashOf(png)]);
  });

  it('counts the tokens of a request as the answer does', async () => {
    const body = requested(directive({ answer: 'Yes.' }), { system: 'Be brief.' });
    const { usage } = await client.messages.create(body);
    const { max_tokens: _, ...counted } = body;
    expect(await client.messages.countTokens(counted)).toEqual({ input_tokens: usage.input_tokens });
  });

  it('runs tools with its runner, which does without threads', async () => {
    const seen: string[] = [];
    const run = ({ city }: z.output<typeof City>) => {
      seen.push(city);
      return `sunny in ${city}`;
    };
    const tool = { ...weather, run, parse: (input: unknown) => City.parse(input) };
    const messages = [{ role: 'user' as const, content: rounds }];
    const last = await client.beta.messages.toolRunner({ model, max_tokens: 1000, messages, tools: [tool] });
    expect([seen, last.content]).toEqual([cities, [{ type: 'text', text: 'All are sunny.' }]]);
  });

  it.each([false, true])('brings omitted thinking back after a call (stream %s)', async (streams) => {
    const call = written('get_weather', '{"city": "Bern"}');
    const content = directive({ answer: `<think>\nBern is nearest.\n</think>\n\n${call}` });
    const body = requested(content, { tools: [weather], thinking: { type: 'adaptive', display: 'omitted' } });
    const first = streams ? await client.messages.stream(body).finalMessage() : await client.messages.create(body);
    expect(first.content).toEqual([
      { type: 'thinking', thinking: '', signature: expect.stringMatching(/^conch\./) },
      { type: 'tool_use', id: anyId, name: 'get_weather', input: { city: 'Bern' }, caller: { type: 'direct' } },
    ]);
    const { id } = first.content[1] as Anthropic.ToolUseBlock;
    const result = { type: 'tool_result' as const, tool_use_id: id, content: directive({ echo_ids: true }) };
    const second = await client.messages.create({
      ...body,
      messages: [...body.messages, { role: 'assistant', content: first.content }, { role: 'user', content: [result] }],
    });
    expect(await promptOf(textsOf(second)[0])).toContain(
      `<|im_start|>assistant\n<think>\nBern is nearest.\n</think>\n\n<tool_call>`,
    );
  });

  it('lists the models in its own shape', async () => {
    const ids: string[] = [];
    for await (const entry of client.models.list({ limit: 2 })) ids.push(entry.id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids.length).toBeGreaterThan(2);
    expect(ids).toContain(model);
    const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const limits = { max_input_tokens: 131_072, max_tokens: 131_072 };
    expect(await client.models.retrieve(model)).toEqual({
      type: 'model',
      id: model,
      display_name: model,
      created_at,
      ...limits,
    });
    expect((await client.models.retrieve(`${model}:latest`)).id).toBe(model);
    const last = ids.at(-1) ?? '';
    const page = await client.models.list({ before_id: last, limit: 2 });
    expect([page.data.map(({ id }) => id), page.has_more]).toEqual([ids.slice(-3, -1), true]);
    await expect(client.models.retrieve('none')).rejects.toBeInstanceOf(NotFoundError);
    await expect(client.models.list({ after_id: 'none' })).rejects.toMatchObject({ status: 400 });
    const { object } = (await (await fetch(`${conch.url}/v1/models`)).json()) as { object: string };
    expect(object).toBe('list');
  });

  it('sees faults in its own shape', async () => {
    const unknown = await client.messages.create(requested('x', { model: 'nobody' })).catch((error: unknown) => error);
    expect(unknown).toBeInstanceOf(NotFoundError);
    const wrong = await client.messages.create(requested('x', { temperature: 3 })).catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(BadRequestError);
  });
});

it('the header of its clients is a key, and without one the fault has its shape', async () => {
  const guarded = await startGateway('--api-key', 'secret-of-the-test');
  try {
    const url = `${guarded.url}/v1/messages`;
    const body = requested(directive({ answer: 'Yes.' }));
    expect((await post(url, body, { 'x-api-key': 'secret-of-the-test' })).status).toBe(200);
    const both = { 'x-api-key': 'secret-of-the-test', authorization: 'Bearer of-another' };
    expect((await post(url, body, both)).status).toBe(200);
    // Claude Code checks its connection without a key.
    for (const [path, method] of [
      ['/', 'HEAD'],
      ['/api/hello', 'HEAD'],
      ['/api/hello', 'GET'],
    ] as const)
      expect((await fetch(guarded.url + path, { method })).status).toBe(200);
    const { status, body: error, headers } = await post(url, body, { 'x-api-key': 'another' });
    expect([status, headers.get('x-should-retry'), error]).toEqual([
      401,
      'false',
      {
        type: 'error',
        error: { type: 'authentication_error', message: 'Incorrect API key provided. Check the key and try again.' },
        request_id: headers.get('x-request-id'),
      },
    ]);
  } finally {
    await guarded.stop();
  }
});

it('a path or a method that is none has the shape of its faults', async () => {
  const wrong = await fetch(`${conch.url}/v1/messages`, { method: 'PUT' });
  expect([wrong.status, wrong.headers.get('allow'), await wrong.json()]).toEqual([
    405,
    'POST',
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'Method PUT is not allowed for /v1/messages. Allowed: POST.' },
      request_id: wrong.headers.get('request-id'),
    },
  ]);
});

it('a fault within a stream is an event of it', async () => {
  const body = requested(directive({ tokens: 5, error_at: 2 }), { stream: true });
  const { text } = await post(`${conch.url}/v1/messages`, body);
  const last = text.trimEnd().split('\n\n').at(-1) ?? '';
  expect(last).toMatch(
    /^event: error\ndata: \{"type":"error","error":\{"type":"api_error","message":"The backend failed/,
  );
  expect(text).not.toContain('message_stop');
});

it("Anthropic's package for Python creates, streams and runs a loop of tools", async () => {
  expect(await pythonJson('test/messages/anthropic_messages.py', [conch.url, rounds])).toEqual({
    created: 'Yes.',
    streamed: 'Yes.',
    loop: [...cities, 'All are sunny.'],
    'streamed loop': [...cities, 'All are sunny.'],
  });
});

describe('a request on the wire', () => {
  it('that fails before its first event has an error with the fields of this API', async () => {
    const refused = directive({ error_at: 0, error_text: 'Grammar error: no' });
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const failures = [
      { output_config: { format: { type: 'json_schema', schema } } },
      { tools: [weather], tool_choice: { type: 'any' } },
    ].map(async (more) => {
      const { status, body } = await post(
        `${conch.url}/v1/messages`,
        requested(refused, { stream: true, thinking: { type: 'disabled' }, ...more }),
      );
      return [status, body.error?.['message']];
    });
    expect(await Promise.all(failures)).toEqual([
      [400, 'output_config.format.schema: the backend refused it: no.'],
      [400, 'tools[0].input_schema: the backend refused it: no.'],
    ]);
  });

  it('may have a thousand tools, and no more than the limit', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`argument${at}`, { type: 'string', enum: ['a', 'b'] }]),
    );
    const tools = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ name: `tool${at}`, input_schema: { type: 'object', properties } }));
    const content = directive({ answer: written('tool1023', '{"argument0": "a"}'), context: 1_000_000 });
    const url = `${conch.url}/v1/messages`;
    const { status, body } = await post(url, requested(content, { tools: tools(1024) }));
    expect([status, body['content']]).toEqual([
      200,
      [expect.objectContaining({ type: 'tool_use', name: 'tool1023', input: { argument0: 'a' } })],
    ]);
    const refused = await post(url, requested(content, { tools: tools(1025) }));
    expect([refused.status, refused.body.error?.['message']]).toEqual([
      400,
      'tools: must have at most 1024 entries (--max-tools), not 1025.',
    ]);
    const required = await post(url, requested(content, { tools: tools(1024), tool_choice: { type: 'any' } }));
    expect([required.status, required.body.error?.['message']]).toEqual([
      400,
      'tools: their schemas have more than 10000 objects and arrays together, the limit if a call is required. ' +
        'Send fewer tools.',
    ]);
  });
});

describe('a request of Claude Code', () => {
  const reader = { name: 'Read', description: 'Reads a file', input_schema: { type: 'object', properties: {} } };
  const searched = { name: 'mcp__a__b', input_schema: { type: 'object', properties: {} }, defer_loading: true };
  const line = 'x-anthropic-billing-header: cc_version=2.1.197.683; cc_entrypoint=sdk-cli;';
  const cache_control = { type: 'ephemeral' };
  const body = {
    model,
    max_tokens: 32_000,
    metadata: { user_id: '{"session_id":"c5087b41"}' },
    thinking: { type: 'adaptive' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    output_config: { effort: 'high' },
    system: [
      { type: 'text', text: line },
      { type: 'text', text: 'You are an agent.', cache_control },
    ],
    tools: [{ type: 'web_search_20250305', name: 'web_search' }, reader, searched],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Find a tool.', cache_control }] },
      { role: 'system', content: 'Agents: none.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'ToolSearch', input: { query: 'b' } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'tool_reference', tool_name: 'mcp__a__b' }] },
        ],
      },
      { role: 'user', content: directive({ echo_ids: true }) },
    ],
  };
  const url = () => `${conch.url}/v1/messages?beta=true`;

  it('reaches the model without its billing line and the tools of Anthropic, which are named', async () => {
    const { status, headers, body: message } = await post(url(), body);
    const [{ text }] = message['content'] as [{ text: string }];
    const prompt = await promptOf(text);
    expect([status, headers.get('x-conch-ignored')]).toEqual([
      200,
      'tools[0], context_management, system[0], output_config.effort',
    ]);
    expect(prompt.startsWith('<|im_start|>system\nYou are an agent.\n\n# Tools')).toBe(true);
    expect(prompt).not.toMatch(/billing|web_search/);
    // The definition of a deferred tool is in the result of the search, and not among the tools.
    expect(prompt.replaceAll(' ', '').split('"name":"mcp__a__b"')).toHaveLength(2);
    expect(prompt).toContain(
      '<tool_response>\n{"type":"function","function":{"name":"mcp__a__b",' +
        '"parameters":{"type":"object","properties":{}}}}\n</tool_response>',
    );
  });

  it('is rejected by --strict-fields', async () => {
    const strict = await startGateway('--strict-fields');
    try {
      const { status, body: error } = await post(`${strict.url}/v1/messages`, body);
      expect([status, error.error?.['message']]).toEqual([
        400,
        'tools[0]: tools that Anthropic runs or defines are not supported; send a tool of type custom.',
      ]);
      const plain = { model, max_tokens: 8, messages: [{ role: 'user', content: 'Hi' }] };
      const { body: budget } = await post(`${strict.url}/v1/messages`, {
        ...plain,
        thinking: { type: 'enabled', budget_tokens: 1024 },
      });
      expect(budget.error?.['message']).toBe('thinking.budget_tokens: has no effect. Leave it out.');
      const { body: billing } = await post(`${strict.url}/v1/messages/count_tokens`, {
        model,
        messages: plain.messages,
        system: [{ type: 'text', text: line }],
      });
      expect(billing.error?.['message']).toBe('system[0]: has no effect. Leave it out.');
    } finally {
      await strict.stop();
    }
  });

  it('that is too long has the error that makes it compact the conversation', async () => {
    const messages = [{ role: 'user', content: directive({ context: 20 }) }];
    const { status, headers, body: error } = await post(url(), { ...body, messages });
    expect([status, headers.get('x-should-retry'), error]).toEqual([
      400,
      'false',
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: expect.stringMatching(/^prompt is too long: \d+ tokens > 20 maximum$/),
        },
        request_id: headers.get('request-id'),
      },
    ]);
  });
});
