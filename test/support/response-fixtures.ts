import type OpenAI from 'openai';
import type { ResponseOptions } from '../../src/apis/openai/responses/response-builder.ts';
import { ResponsesRequest } from '../../src/apis/openai/responses/responses-request.ts';
import { toolsetOf } from '../../src/apis/openai/responses/toolset.ts';
import type { TokenLogprob } from '../../src/contracts/contract.ts';
import type { GenerateEvent } from '../../src/contracts/events.ts';
import { plainTokenText } from '../../src/http/logprobs.ts';
import { parseRequest } from '../../src/requests/fields.ts';

type StreamEvent = OpenAI.Responses.ResponseStreamEvent;
/** An event as it stands in an expectation: its number is its place in the list. */
type Bare<Event> = Event extends StreamEvent ? Omit<Event, 'sequence_number'> : never;
/** The events of items; those that hold a whole response are made from it. */
export type ItemEvent = Bare<Exclude<StreamEvent, { response: unknown }>>;

export const hex = '0123456789abcdef0123456789abcdef';

export function optionsOf(body: object = {}): ResponseOptions {
  const { request } = parseRequest(ResponsesRequest, { model: 'toy', input: 'Hi', ...body });
  const head = { id: `resp_${hex}`, created: 1000, request };
  return { head, tools: toolsetOf(request, []), tokenText: plainTokenText, now: () => 1007 };
}

/** The response to `optionsOf`, as OpenAI writes it. */
export const response = {
  id: `resp_${hex}`,
  object: 'response',
  created_at: 1000,
  status: 'in_progress',
  background: false,
  completed_at: null,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  model: 'toy',
  output: [] as unknown[],
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  prompt_cache_retention: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'default',
  store: true,
  temperature: null,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: null,
  truncation: 'disabled',
  usage: null,
  user: null,
  metadata: {},
};

export const completed = { status: 'completed', completed_at: 1007 };
export const incomplete = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };

export const text = (value: string, logprobs?: readonly TokenLogprob[]): GenerateEvent => ({
  type: 'text-delta',
  choice: 0,
  text: value,
  tokens: 1,
  logprobs,
});
export const reasoning = (value: string): GenerateEvent => ({ type: 'reasoning-delta', choice: 0, text: value });
export const call = (
  index: number,
  started: { id: string; name: string } | undefined,
  fragment: string,
): GenerateEvent => ({
  type: 'tool-call-delta',
  choice: 0,
  index,
  ...started,
  arguments: fragment,
});
export const finish = (reason: 'stop' | 'length' | 'tool_calls'): GenerateEvent => ({
  type: 'finish',
  choice: 0,
  reason,
});
export const usage: GenerateEvent = {
  type: 'usage',
  promptTokens: 5,
  completionTokens: 2,
  cachedTokens: 4,
  reasoningTokens: 1,
};
const usageFields = {
  input_tokens: 5,
  input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
  output_tokens: 2,
  output_tokens_details: { reasoning_tokens: 1 },
  total_tokens: 7,
};

export type Logprob = OpenAI.Responses.ResponseOutputText.Logprob;
export function textPart(value: string, logprobs: Logprob[] = []): OpenAI.Responses.ResponseOutputText {
  return { type: 'output_text', annotations: [], logprobs, text: value };
}
type Status = 'in_progress' | 'completed' | 'incomplete';

export function message(
  at: number,
  value: string,
  status: Status = 'completed',
  logprobs: Logprob[] = [],
): OpenAI.Responses.ResponseOutputMessage {
  const content = [textPart(value, logprobs)];
  return { id: `msg_${hex}o${at}`, type: 'message', status, content, role: 'assistant' };
}
export function thought(
  at: number,
  value: string,
  status: Status = 'completed',
): OpenAI.Responses.ResponseReasoningItem {
  const content = [{ type: 'reasoning_text' as const, text: value }];
  return { id: `rs_${hex}o${at}`, type: 'reasoning', summary: [], content, status };
}
export function called(
  at: number,
  name: string,
  value: string,
  status: Status = 'completed',
): OpenAI.Responses.ResponseFunctionToolCallItem {
  const id = `fc_${hex}o${at}`;
  return { id, type: 'function_call', status, arguments: value, call_id: `call_${name}`, name };
}

/** All events of a message that comes in these deltas. */
export function messageEvents(at: number, deltas: readonly string[], status: Status = 'completed'): ItemEvent[] {
  const location = { item_id: `msg_${hex}o${at}`, output_index: at, content_index: 0 };
  const value = deltas.join('');
  return [
    {
      type: 'response.output_item.added',
      output_index: at,
      item: { ...message(at, '', 'in_progress'), content: [] },
    },
    { type: 'response.content_part.added', ...location, part: textPart('') },
    ...deltas.map((delta) => ({ type: 'response.output_text.delta' as const, ...location, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...location, text: value, logprobs: [] },
    { type: 'response.content_part.done', ...location, part: textPart(value) },
    { type: 'response.output_item.done', output_index: at, item: message(at, value, status) },
  ];
}
export function reasoningEvents(at: number, deltas: readonly string[], status: Status = 'completed'): ItemEvent[] {
  const location = { item_id: `rs_${hex}o${at}`, output_index: at, content_index: 0 };
  const value = deltas.join('');
  return [
    {
      type: 'response.output_item.added',
      output_index: at,
      item: { ...thought(at, '', 'in_progress'), content: [] },
    },
    { type: 'response.content_part.added', ...location, part: { type: 'reasoning_text', text: '' } },
    ...deltas.map((delta) => ({ type: 'response.reasoning_text.delta' as const, ...location, delta })),
    { type: 'response.reasoning_text.done', ...location, text: value },
    { type: 'response.content_part.done', ...location, part: { type: 'reasoning_text', text: value } },
    { type: 'response.output_item.done', output_index: at, item: thought(at, value, status) },
  ];
}
export function callEvents(
  at: number,
  name: string,
  deltas: readonly string[],
  status: Status = 'completed',
): ItemEvent[] {
  const location = { item_id: `fc_${hex}o${at}`, output_index: at };
  const value = deltas.join('');
  return [
    { type: 'response.output_item.added', output_index: at, item: called(at, name, '', 'in_progress') },
    ...deltas.map((delta) => ({ type: 'response.function_call_arguments.delta' as const, ...location, delta })),
    { type: 'response.function_call_arguments.done', ...location, name, arguments: value },
    { type: 'response.output_item.done', output_index: at, item: called(at, name, value, status) },
  ];
}

export const start = (name: string) => ({ id: `call_${name}`, name });

/** Answers, the events of their items, and the response in the end. */
export const cases: [string, GenerateEvent[], ItemEvent[], { status: string; [field: string]: unknown }][] = [
  [
    'plain text',
    [{ type: 'prompt-tokens', count: 5 }, text('He'), text(''), text('"l"\n'), finish('stop'), usage],
    messageEvents(0, ['He', '"l"\n']),
    { ...completed, output: [message(0, 'He"l"\n')], usage: usageFields },
  ],
  [
    'reasoning and text',
    [reasoning('Let'), text(''), reasoning(' me'), text('Hi'), finish('stop')],
    [...reasoningEvents(0, ['Let', ' me']), ...messageEvents(1, ['Hi'])],
    { ...completed, output: [thought(0, 'Let me'), message(1, 'Hi')] },
  ],
  [
    'text and two calls',
    [
      text('Now: '),
      call(0, start('a'), ''),
      text(''),
      call(0, undefined, '{"x"'),
      call(0, undefined, ':1}'),
      call(1, start('b'), '{}'),
      finish('tool_calls'),
    ],
    [...messageEvents(0, ['Now: ']), ...callEvents(1, 'a', ['{"x"', ':1}']), ...callEvents(2, 'b', ['{}'])],
    { ...completed, output: [message(0, 'Now: '), called(1, 'a', '{"x":1}'), called(2, 'b', '{}')] },
  ],
  [
    'text after a call, and reasoning between',
    [text('1'), call(0, start('a'), '{}'), text('2'), reasoning('3'), text('4'), finish('tool_calls')],
    [
      ...messageEvents(0, ['1']),
      ...callEvents(1, 'a', ['{}']),
      ...messageEvents(2, ['2']),
      ...reasoningEvents(3, ['3']),
      ...messageEvents(4, ['4']),
    ],
    {
      ...completed,
      output: [message(0, '1'), called(1, 'a', '{}'), message(2, '2'), thought(3, '3'), message(4, '4')],
    },
  ],
  [
    'text that was cut',
    [reasoning('R'), text('Hel'), finish('length'), usage],
    [...reasoningEvents(0, ['R']), ...messageEvents(1, ['Hel'], 'incomplete')],
    { ...incomplete, output: [thought(0, 'R'), message(1, 'Hel', 'incomplete')], usage: usageFields },
  ],
  [
    'a call that was cut',
    [text('T'), call(0, start('a'), '{"x'), finish('length')],
    [...messageEvents(0, ['T']), ...callEvents(1, 'a', ['{"x'], 'incomplete')],
    { ...incomplete, output: [message(0, 'T'), called(1, 'a', '{"x', 'incomplete')] },
  ],
  [
    'reasoning that was cut',
    [reasoning('Hm'), finish('length')],
    reasoningEvents(0, ['Hm'], 'incomplete'),
    { ...incomplete, output: [thought(0, 'Hm', 'incomplete')] },
  ],
  ['nothing before the cut', [finish('length')], [], { ...incomplete, output: [] }],
  [
    'nothing but reasoning',
    [reasoning('Hm'), finish('stop')],
    [...reasoningEvents(0, ['Hm']), ...messageEvents(1, [])],
    { ...completed, output: [thought(0, 'Hm'), message(1, '')] },
  ],
  ['nothing', [finish('stop')], messageEvents(0, []), { ...completed, output: [message(0, '')] }],
];
