import { describe, expect, it } from 'vitest';
import { call, finish, reasoning, start, text } from '../../../../test/support/response-fixtures.ts';
import { type GenerateEvent, giveEvent } from '../../../contracts/events.ts';
import { plainTokenText } from '../../../http/logprobs.ts';
import { ChatRequest } from '../../../requests/chat-request.ts';
import { parseRequest } from '../../../requests/fields.ts';
import { conversationOf, storedInput } from './conversation.ts';
import { newResponseId } from './item-ids.ts';
import { ResponseBuilder } from './response-builder.ts';
import { ResponsesRequest } from './responses-request.ts';
import { toChat } from './to-chat.ts';
import { toolsetOf } from './toolset.ts';

function requestOf(body: object) {
  return parseRequest(ResponsesRequest, { model: 'toy', input: 'Hi', ...body }).request;
}

/** The chat of a request alone, without what is undefined. */
function chatOf(body: object): Record<string, unknown> {
  const request = requestOf(body);
  const own = storedInput(request, { id: newResponseId() });
  const items = conversationOf(request, { earlier: [], own });
  const chat = toChat(request, { items, tools: toolsetOf(request, items) }).request;
  // What it says must be a chat that the wire would take, but for images.
  if (!JSON.stringify(chat).includes('image_url')) parseRequest(ChatRequest, chat);
  return JSON.parse(JSON.stringify(chat)) as Record<string, unknown>;
}

const messagesOf = (input: unknown, more: object = {}) => chatOf({ input, ...more })['messages'];

const user = { type: 'message', role: 'user', content: 'Q' };
const said = (value: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: value, annotations: [] }],
});
const thought = (value: string) => ({
  type: 'reasoning',
  summary: [],
  content: [{ type: 'reasoning_text', text: value }],
});
const requested = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' });
const result = (id: string, output: unknown = 'R') => ({ type: 'function_call_output', call_id: id, output });
const chatCall = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });

describe('the messages of a response', () => {
  it.each([
    ['a text', 'Hi', [{ role: 'user', content: 'Hi' }]],
    [
      'messages of every role',
      [
        { role: 'system', content: 'S' },
        { role: 'developer', content: [{ type: 'input_text', text: 'D' }] },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'a' },
            { type: 'input_text', text: 'b' },
          ],
        },
        { role: 'assistant', content: 'A' },
      ],
      [
        { role: 'system', content: 'S' },
        { role: 'developer', content: 'D' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        { role: 'assistant', content: 'A' },
      ],
    ],
    [
      'images',
      [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What?' },
            { type: 'input_image', image_url: 'data:x', detail: 'low' },
            { type: 'input_image', image_url: 'data:y' },
          ],
        },
      ],
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What?' },
            { type: 'image_url', image_url: { url: 'data:x', detail: 'low' } },
            { type: 'image_url', image_url: { url: 'data:y' } },
          ],
        },
      ],
    ],
    [
      'a refusal',
      [user, { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }],
      [
        { role: 'user', content: 'Q' },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      ],
    ],
    [
      'two messages of the assistant in a row',
      [said('a'), said('b')],
      [
        { role: 'assistant', content: 'a' },
        { role: 'assistant', content: 'b' },
      ],
    ],
    [
      'a turn of reasoning, text and calls, and the outputs',
      [
        user,
        thought('T'),
        said('A'),
        requested('c1'),
        requested('c2'),
        result('c1'),
        result('c2', [{ type: 'input_text', text: 'S' }]),
      ],
      [
        { role: 'user', content: 'Q' },
        { role: 'assistant', content: 'A', reasoning_content: 'T', tool_calls: [chatCall('c1'), chatCall('c2')] },
        { role: 'tool', tool_call_id: 'c1', content: 'R' },
        { role: 'tool', tool_call_id: 'c2', content: 'S' },
      ],
    ],
    [
      'text and reasoning after a call, which must stay beside its output',
      [said('a'), requested('c1'), thought('T'), said('b'), result('c1')],
      [
        { role: 'assistant', content: 'ab', reasoning_content: 'T', tool_calls: [chatCall('c1')] },
        { role: 'tool', tool_call_id: 'c1', content: 'R' },
      ],
    ],
    [
      'calls of two turns',
      [thought('1'), requested('c1'), result('c1'), thought('2'), requested('c2'), result('c2')],
      [
        { role: 'assistant', content: null, reasoning_content: '1', tool_calls: [chatCall('c1')] },
        { role: 'tool', tool_call_id: 'c1', content: 'R' },
        { role: 'assistant', content: null, reasoning_content: '2', tool_calls: [chatCall('c2')] },
        { role: 'tool', tool_call_id: 'c2', content: 'R' },
      ],
    ],
    [
      'reasoning that nothing follows',
      [thought('T'), user],
      [
        { role: 'assistant', content: '', reasoning_content: 'T' },
        { role: 'user', content: 'Q' },
      ],
    ],
    [
      'reasoning in its other forms, and without any',
      [
        { type: 'reasoning', summary: [], encrypted_content: 'conch.VGjDrnM=' },
        said('a'),
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'S' }] },
        said('b'),
        { type: 'reasoning', summary: [] },
        user,
      ],
      [
        { role: 'assistant', content: 'a', reasoning_content: 'Thîs' },
        { role: 'assistant', content: 'b', reasoning_content: 'S' },
        { role: 'user', content: 'Q' },
      ],
    ],
  ])('from %s', (_name, input, messages) => {
    expect(messagesOf(input)).toEqual(messages);
  });

  it('begin with the instructions', () => {
    expect(messagesOf('Hi', { instructions: 'Be brief.' })).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ]);
  });

  it('have the summary of reasoning that another server packed', () => {
    const summary = [{ type: 'summary_text', text: 'S' }];
    expect(
      messagesOf([
        user,
        { type: 'reasoning', summary, encrypted_content: 'gAAA' },
        { type: 'reasoning', summary: [], encrypted_content: 'gAAA' },
        { role: 'assistant', content: 'A' },
      ]),
    ).toEqual([
      { role: 'user', content: 'Q' },
      { role: 'assistant', content: 'A', reasoning_content: 'S' },
    ]);
  });

  it('refuse an input that says nothing', () => {
    expect(() => messagesOf([])).toThrow('input: must have at least 1 item with content.');
  });
});

describe('the fields of a response', () => {
  it('that a chat calls otherwise', () => {
    const parameters = { type: 'object' };
    const chat = chatOf({
      max_output_tokens: 9,
      reasoning: { effort: 'low', summary: 'auto' },
      text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: true, description: 'd' } },
      tools: [
        { type: 'function', name: 'f', description: 'F', parameters, strict: true },
        { type: 'function', name: 'g' },
      ],
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] },
      parallel_tool_calls: false,
      include: ['message.output_text.logprobs'],
      top_logprobs: 3,
      metadata: { a: 'b' },
      service_tier: 'auto',
      store: true,
      truncation: 'auto',
      stream_options: { include_obfuscation: false },
    });
    expect(chat).toEqual({
      model: 'toy',
      messages: [{ role: 'user', content: 'Hi' }],
      max_completion_tokens: 9,
      reasoning_effort: 'low',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', schema: { type: 'object' }, strict: true, description: 'd' },
      },
      tools: [
        { type: 'function', function: { name: 'f', description: 'F', parameters, strict: true } },
        { type: 'function', function: { name: 'g' } },
      ],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
      parallel_tool_calls: false,
      logprobs: true,
      top_logprobs: 3,
      metadata: { a: 'b' },
      service_tier: 'auto',
    });
  });

  it('that a chat has too', () => {
    const same = {
      temperature: 0.5,
      top_p: 0.9,
      seed: 1,
      stop: 'x',
      stream: true,
      user: 'u',
      top_k: 5,
      min_p: 0.1,
      repetition_penalty: 1.1,
      guided_regex: 'a+',
      chat_template_kwargs: { a: 1 },
      continue_final_message: true,
      include_reasoning: false,
      tool_choice: 'none',
    };
    expect(chatOf(same)).toEqual({ model: 'toy', messages: [{ role: 'user', content: 'Hi' }], ...same });
  });

  it.each([
    [{ top_logprobs: 2 }, { logprobs: true, top_logprobs: 2 }],
    [{ include: ['message.output_text.logprobs'] }, { logprobs: true }],
    [{ top_logprobs: 0 }, {}],
    [{ tool_choice: { type: 'function', name: 'f' } }, { tool_choice: { type: 'function', function: { name: 'f' } } }],
    [{ text: { format: { type: 'json_object' } } }, { response_format: { type: 'json_object' } }],
  ])('%j', (body, expected) => {
    expect(chatOf(body)).toEqual({ model: 'toy', messages: [{ role: 'user', content: 'Hi' }], ...expected });
  });
});

describe('a conversation over several responses', () => {
  const completed: GenerateEvent[] = [
    reasoning('T'),
    text('Look: '),
    call(0, start('a'), '{"x":1}'),
    call(1, start('b'), '{}'),
    finish('tool_calls'),
  ];
  const first = requestOf({ instructions: 'Old.', input: 'Q', include: ['reasoning.encrypted_content'] });
  const id = newResponseId();
  const builder = new ResponseBuilder({
    head: { id, created: 1, request: first },
    tools: toolsetOf(first, []),
    tokenText: plainTokenText,
    now: () => 2,
  });
  for (const event of completed) giveEvent(event, builder);
  builder.end();
  const response = JSON.parse(JSON.stringify(builder.response())) as { output: { id: string }[] };
  const outputs = [result('call_a', '1'), result('call_b', '2')];
  const expected = [
    { role: 'system', content: 'New.' },
    { role: 'user', content: 'Q' },
    {
      role: 'assistant',
      content: 'Look: ',
      reasoning_content: 'T',
      tool_calls: [
        { id: 'call_a', type: 'function', function: { name: 'a', arguments: '{"x":1}' } },
        { id: 'call_b', type: 'function', function: { name: 'b', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_a', content: '1' },
    { role: 'tool', tool_call_id: 'call_b', content: '2' },
  ];

  it('goes on from a response by its id, under new instructions', () => {
    const next = requestOf({ instructions: 'New.', input: outputs, previous_response_id: id });
    const earlier = [{ input: storedInput(first, { id }), response }];
    const own = storedInput(next, { id: newResponseId() });
    const items = conversationOf(next, { earlier, own });
    expect(toChat(next, { items, tools: toolsetOf(next, items) }).request.messages).toEqual(expected);
  });

  it('goes on from its output, sent back', () => {
    expect(
      messagesOf([{ role: 'user', content: 'Q' }, ...response.output, ...outputs], { instructions: 'New.' }),
    ).toEqual(expected);
  });
});
