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
import { weatherCities as cities, weatherRounds as rounds } from '../tools/requests.ts';

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
    const { status, body: error, headers } = await post(url, body, { 'x-api-key': 'another' });
    expect([status, error]).toEqual([
      401,
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
