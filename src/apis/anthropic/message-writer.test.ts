import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import type { GenerateEvent } from '../../contracts/events.ts';
import { ApiError } from '../../errors.ts';
import { readyGeneration } from '../../generate/ready-generation.ts';
import { packReasoning } from '../../requests/packed-reasoning.ts';
import { collectMessage } from './collect-message.ts';
import { MessageWriter } from './message-writer.ts';

const head = { id: 'msg_1', model: 'toy' };

const prompt: GenerateEvent = { type: 'prompt-tokens', count: 7 };
const text = (part: string, tokens = 1): GenerateEvent => {
  return { type: 'text-delta', choice: 0, text: part, tokens, logprobs: undefined };
};
const reasoning = (part: string): GenerateEvent => ({ type: 'reasoning-delta', choice: 0, text: part });
const call = (index: number, id: string, name: string): GenerateEvent => {
  return { type: 'tool-call-delta', choice: 0, index, id, name, arguments: '' };
};
const input = (index: number, json: string): GenerateEvent => {
  return { type: 'tool-call-delta', choice: 0, index, arguments: json };
};
const finish = (reason: 'stop' | 'length' | 'tool_calls'): GenerateEvent => ({ type: 'finish', choice: 0, reason });
const usage = (more: { cachedTokens?: number; reasoningTokens?: number } = {}): GenerateEvent => {
  return { type: 'usage', promptTokens: 7, completionTokens: 5, ...more };
};

function writer(omitsThinking = false): MessageWriter {
  const rename = (error: ApiError) => new ApiError(error.code, `renamed ${error.message}`);
  return new MessageWriter({ head, omitsThinking, requestId: 'req_1', rename });
}

/** The stream of batches of events, the first of which opens it. */
function written([first = [], ...others]: readonly (readonly GenerateEvent[])[], omitsThinking = false): string {
  const response = writer(omitsThinking);
  let out = response.begin(first);
  for (const event of others.flat()) out += response.write(event);
  return out + response.end();
}

/** The events of a stream; each has its type for a name. */
function eventsOf(stream: string): unknown[] {
  return stream
    .split('\n\n')
    .slice(0, -1)
    .map((event) => {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? [];
      const value = JSON.parse(data ?? '') as { type: string };
      expect(value.type).toBe(name);
      return value;
    });
}

const startUsage = {
  input_tokens: 7,
  output_tokens: 0,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  output_tokens_details: null,
  server_tool_use: null,
  cache_creation: null,
  inference_geo: null,
  service_tier: 'standard',
  speed: null,
};
const endUsage = {
  input_tokens: 7,
  output_tokens: 5,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  output_tokens_details: null,
  server_tool_use: null,
};

const emptyMessage = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'toy',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  stop_details: null,
  container: null,
  diagnostics: null,
  usage: startUsage,
};
const start = { type: 'message_start', message: emptyMessage };
const open = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
const delta = (index: number, value: object) => ({ type: 'content_block_delta', index, delta: value });
const stop = (index: number) => ({ type: 'content_block_stop', index });
const end = (stop_reason: string, usage: object = endUsage) => [
  {
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null, stop_details: null, container: null },
    usage,
  },
  { type: 'message_stop' },
];
const textBlock = (value: string) => ({ type: 'text', text: value });
const useBlock = (id: string, name: string, value: object) => {
  return { type: 'tool_use', id, name, input: value, caller: { type: 'direct' } };
};
const whole = (content: object[], stop_reason: string, usage: object = endUsage) => {
  return { ...emptyMessage, content, stop_reason, usage: { ...startUsage, ...usage } };
};

const cases = [
  {
    name: 'text',
    events: [
      [prompt, text('Hel')],
      [text('lo "you"\n'), text('', 1)],
      [finish('stop'), usage()],
    ],
    stream: [
      start,
      open(0, textBlock('')),
      delta(0, { type: 'text_delta', text: 'Hel' }),
      delta(0, { type: 'text_delta', text: 'lo "you"\n' }),
      stop(0),
      ...end('end_turn'),
    ],
    message: whole([textBlock('Hello "you"\n')], 'end_turn'),
  },
  {
    name: 'thinking, then text, with what was cached',
    events: [
      [prompt, reasoning('Let me')],
      [reasoning(' see.'), text('Yes.')],
      [finish('stop'), usage({ cachedTokens: 4, reasoningTokens: 3 })],
    ],
    stream: [
      start,
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Let me' }),
      delta(0, { type: 'thinking_delta', thinking: ' see.' }),
      delta(0, { type: 'signature_delta', signature: 'unsigned' }),
      stop(0),
      open(1, textBlock('')),
      delta(1, { type: 'text_delta', text: 'Yes.' }),
      stop(1),
      ...end('end_turn', {
        ...endUsage,
        input_tokens: 3,
        cache_read_input_tokens: 4,
        output_tokens_details: { thinking_tokens: 3 },
      }),
    ],
    message: whole(
      [{ type: 'thinking', thinking: 'Let me see.', signature: 'unsigned' }, textBlock('Yes.')],
      'end_turn',
      { input_tokens: 3, output_tokens: 5, cache_read_input_tokens: 4, output_tokens_details: { thinking_tokens: 3 } },
    ),
  },
  {
    name: 'text and two calls, one of them without input',
    events: [
      [prompt, text('I look.')],
      [call(0, 'call_a', 'weather'), input(0, '{"city":'), text('', 2), input(0, '"Rome"}')],
      [call(1, 'call_b', 'time')],
      [finish('tool_calls'), usage()],
    ],
    stream: [
      start,
      open(0, textBlock('')),
      delta(0, { type: 'text_delta', text: 'I look.' }),
      stop(0),
      open(1, useBlock('call_a', 'weather', {})),
      delta(1, { type: 'input_json_delta', partial_json: '{"city":' }),
      delta(1, { type: 'input_json_delta', partial_json: '"Rome"}' }),
      stop(1),
      open(2, useBlock('call_b', 'time', {})),
      stop(2),
      ...end('tool_use'),
    ],
    message: whole(
      [textBlock('I look.'), useBlock('call_a', 'weather', { city: 'Rome' }), useBlock('call_b', 'time', {})],
      'tool_use',
    ),
  },
  {
    name: 'text that max_tokens cuts',
    events: [
      [prompt, text('Once')],
      [finish('length'), usage()],
    ],
    stream: [
      start,
      open(0, textBlock('')),
      delta(0, { type: 'text_delta', text: 'Once' }),
      stop(0),
      ...end('max_tokens'),
    ],
    message: whole([textBlock('Once')], 'max_tokens'),
  },
  {
    name: 'the input of a call that max_tokens cuts',
    events: [
      [prompt, call(0, 'call_a', 'weather')],
      [input(0, '{"city":"Rome","days":[1,2'), finish('length'), usage()],
    ],
    stream: [
      start,
      open(0, useBlock('call_a', 'weather', {})),
      delta(0, { type: 'input_json_delta', partial_json: '{"city":"Rome","days":[1,2' }),
      stop(0),
      ...end('max_tokens'),
    ],
    message: whole([useBlock('call_a', 'weather', { city: 'Rome', days: [1] })], 'max_tokens'),
  },
  {
    name: 'an answer without any text, whose tokens nobody counts in the end',
    events: [[text('', 1)], [finish('stop')]],
    stream: [
      { ...start, message: { ...emptyMessage, usage: { ...startUsage, input_tokens: 0 } } },
      ...end('end_turn', { ...endUsage, input_tokens: 0, output_tokens: 1 }),
    ],
    message: whole([], 'end_turn', { input_tokens: 0, output_tokens: 1 }),
  },
] as const satisfies readonly {
  name: string;
  events: readonly (readonly GenerateEvent[])[];
  stream: readonly object[];
  message: object;
}[];

describe('a message of the Messages API', () => {
  it.each(cases)('streams $name', ({ events, stream }) => {
    expect(eventsOf(written(events))).toEqual(stream);
  });

  it.each(cases)('gives $name as one message', async ({ events, message }) => {
    expect(
      await collectMessage(
        readyGeneration(() => events.flat()),
        { head, omitsThinking: false },
      ),
    ).toEqual(message);
  });

  it.each(cases)("is the same to Anthropic's own client, streamed and not: $name", async ({ events, message }) => {
    // The client adds what it parsed itself.
    expect(await finalMessage(written(events))).toEqual({ ...message, parsed_output: null });
  });

  it('has omitted thinking only in its signature, streamed and not', async () => {
    const events = [
      [prompt, reasoning('Let me')],
      [reasoning(' see.'), call(0, 'call_a', 'time'), reasoning('Hm.'), finish('tool_calls'), usage()],
    ];
    const [first, second] = [packReasoning('Let me see.'), packReasoning('Hm.')];
    const thought = (index: number, signature: string) => [
      open(index, { type: 'thinking', thinking: '', signature: '' }),
      delta(index, { type: 'signature_delta', signature }),
      stop(index),
    ];
    const stream = written(events, true);
    expect(eventsOf(stream)).toEqual([
      start,
      ...thought(0, first),
      open(1, useBlock('call_a', 'time', {})),
      stop(1),
      ...thought(2, second),
      ...end('tool_use'),
    ]);
    const block = (signature: string) => ({ type: 'thinking', thinking: '', signature });
    const message = whole([block(first), useBlock('call_a', 'time', {}), block(second)], 'tool_use');
    const generation = readyGeneration(() => events.flat());
    expect(await collectMessage(generation, { head, omitsThinking: true })).toEqual(message);
    expect(await finalMessage(stream)).toEqual({ ...message, parsed_output: null });
  });

  it('ends with an error and nothing else when it fails in the middle', async () => {
    const response = writer();
    const failure = new ApiError('backend_error', 'The backend failed.');
    const stream = response.begin([prompt, text('Hel')]) + response.fail(failure);
    const error = { type: 'api_error', message: 'renamed The backend failed.' };
    expect(eventsOf(stream)).toEqual([
      start,
      open(0, textBlock('')),
      delta(0, { type: 'text_delta', text: 'Hel' }),
      { type: 'error', error, request_id: 'req_1' },
    ]);
    await expect(finalMessage(stream)).rejects.toMatchObject({ type: 'api_error', apiMessage: error.message });
  });
});

/** What the client puts together from a stream. */
async function finalMessage(stream: string): Promise<unknown> {
  const client = new Anthropic({
    apiKey: 'none',
    maxRetries: 0,
    fetch: () => Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } })),
  });
  const request = { model: 'toy', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' } as const] };
  const message = await client.messages.stream(request).finalMessage();
  return JSON.parse(JSON.stringify(message));
}
