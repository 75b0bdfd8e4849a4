import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call, finish, reasoning, start, text } from '../../../../test/support/response-fixtures.ts';
import type { GenerateEvent } from '../../../contracts/events.ts';
import { plainTokenText } from '../../../http/logprobs.ts';
import { parseRequest } from '../../../requests/fields.ts';
import { conversationOf, itemOf, referencesOf, storedInput } from './conversation.ts';
import type { InputItem } from './input-items.ts';
import { newResponseId } from './item-ids.ts';
import { ResponseEvents } from './response-events.ts';
import { ResponsesRequest } from './responses-request.ts';
import { toChat } from './to-chat.ts';
import { toolsetOf } from './toolset.ts';

const usage: GenerateEvent = { type: 'usage', promptTokens: 3, completionTokens: 2 };
const responses: GenerateEvent[][] = [
  [reasoning('Hm.'), text('Let me see. '), call(0, start('add'), '{"a":1,"b":2}'), finish('tool_calls'), usage],
  [text('It is 3.'), finish('stop'), usage],
];

/** A server of one conversation: the requests of the provider become chats, and the responses come one after the other. */
function provider() {
  const stored = new Map<string, { input: readonly Record<string, unknown>[]; response: Record<string, unknown> }>();
  const chats: unknown[] = [];
  const respond = (_url: unknown, init?: { body?: unknown }): Promise<Response> => {
    const { request, ignoredFields } = parseRequest(ResponsesRequest, JSON.parse(init?.body as string));
    expect(ignoredFields).toEqual([]);
    const id = newResponseId();
    const references = new Map(
      referencesOf(request).flatMap(({ id: item, response }): [string, InputItem][] => {
        const found = stored.get(response);
        const resolved = found && itemOf(found, item);
        return resolved ? [[item, resolved]] : [];
      }),
    );
    const own = storedInput(request, { id, references });
    const events = responses[chats.length] ?? [];
    const items = conversationOf(request, { earlier: [], own });
    const tools = toolsetOf(request, items);
    chats.push(toChat(request, { items, tools }).request.messages);
    const writer = new ResponseEvents({
      head: { id, created: 1000, request },
      tools,
      tokenText: plainTokenText,
      now: () => 1001,
    });
    const body = writer.begin(events) + writer.end();
    const response = writer.response();
    if (request.store !== false) stored.set(id, { input: own, response });
    const type = request.stream ? 'text/event-stream' : 'application/json';
    const text = request.stream ? body : JSON.stringify(response);
    return Promise.resolve(new Response(text, { headers: { 'content-type': type } }));
  };
  const model = createOpenAI({ apiKey: 'none', baseURL: 'http://localhost/v1', fetch: respond })('toy');
  return { model, chats };
}

const tools = {
  add: tool({
    description: 'Adds.',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  }),
};
const requested = { system: 'Be brief.', prompt: 'What is 1 + 2?', tools, stopWhen: stepCountIs(3) };

const conversation = (reasoning: object) => [
  [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'What is 1 + 2?' },
  ],
  [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'What is 1 + 2?' },
    {
      role: 'assistant',
      content: 'Let me see. ',
      ...reasoning,
      tool_calls: [{ id: 'call_add', type: 'function', function: { name: 'add', arguments: expect.any(String) } }],
    },
    { role: 'tool', tool_call_id: 'call_add', content: '3' },
  ],
];

describe("the Vercel AI SDK's provider", () => {
  it.each([
    ['with references to stored items', {}],
    ['with packed reasoning where nothing is stored', { store: false, include: ['reasoning.encrypted_content'] }],
  ])('calls a tool in a stream and goes on, %s', async (_name, openai) => {
    const { model, chats } = provider();
    const result = streamText({ ...requested, model, providerOptions: { openai } });
    expect(await result.text).toBe('It is 3.');
    expect(await result.totalUsage).toMatchObject({ inputTokens: 6, outputTokens: 4 });
    expect(chats).toEqual(conversation({ reasoning_content: 'Hm.' }));
  });

  it('calls a tool without a stream and goes on', async () => {
    const { model, chats } = provider();
    const result = await generateText({ ...requested, model });
    expect(result.text).toBe('It is 3.');
    expect(chats).toEqual(conversation({ reasoning_content: 'Hm.' }));
  });
});
