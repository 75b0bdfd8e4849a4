import type { TemplateMessage } from '../../src/prompt/chat-template.ts';

/** One conversation to render, in OpenAI's shape. */
export interface Conversation {
  readonly name: string;
  readonly messages: readonly TemplateMessage[];
  readonly tools?: readonly unknown[];
  readonly add_generation_prompt?: boolean;
  readonly continue_final_message?: boolean;
  readonly variables?: Record<string, unknown>;
}

// llama3.2 writes today's date unless it is told one.
const date = { date_string: '26 Jul 2024' };

const system = { role: 'system', content: 'You are terse.' };
const developer = { role: 'developer', content: 'Answer in French.' };
const hello = { role: 'user', content: 'Hello' };
const hi = { role: 'assistant', content: 'Hi there.' };
const unicode = { role: 'user', content: ' naïve 😀 東京 "quoted" \\back\\ <b>&amp;</b>\n\tend ' };

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a "place", in °C',
    parameters: {
      type: 'object',
      properties: {
        place: { type: 'string', description: 'A city: 東京, Zürich' },
        days: { type: 'integer', minimum: 1, maximum: 14, default: 1 },
        unit: { type: 'string', enum: ['c', 'f'] },
        near: { type: 'array', items: { type: 'number' } },
        nothing: { type: 'object', properties: {} },
      },
      required: ['place'],
      additionalProperties: false,
    },
    strict: true,
  },
};
const clock = {
  type: 'function',
  function: { name: 'clock', parameters: { type: 'object', properties: {}, required: [] } },
};

const argumentsText =
  '{"place": "Zürich", "2": 1.0, "1": [1, 2.50, null, true, {}], "big": 12345678901234567890, "e": 1e5}';
const called = (content?: string | null): TemplateMessage => ({
  role: 'assistant',
  ...(content === undefined ? {} : { content }),
  tool_calls: [{ id: 'abc123def', type: 'function', function: { name: 'get_weather', arguments: argumentsText } }],
});
const calledTwice: TemplateMessage = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'abc123def', type: 'function', function: { name: 'get_weather', arguments: '{"place":"Bern"}' } },
    { id: 'abc123deg', type: 'function', function: { name: 'clock', arguments: '{}' } },
  ],
};
const result = { role: 'tool', tool_call_id: 'abc123def', content: '{"celsius": 21}' };
const secondResult = { role: 'tool', tool_call_id: 'abc123deg', content: '12:00' };

const plain: Conversation[] = [
  { name: 'one question', messages: [hello] },
  { name: 'a system message', messages: [system, hello] },
  { name: 'a developer message', messages: [developer, hello] },
  { name: 'system and developer', messages: [system, developer, hello] },
  { name: 'several turns', messages: [system, hello, hi, unicode] },
  { name: 'the same question twice', messages: [hello, hi, hello] },
  { name: 'unicode', messages: [unicode] },
  { name: 'empty content', messages: [{ role: 'user', content: '' }] },
  { name: 'spaces and line ends', messages: [{ role: 'user', content: '\ufeff \u00a0\u2003 text \u3000\n\n' }] },
  {
    name: 'content as parts',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one ' },
          { type: 'text', text: ' two' },
        ],
      },
    ],
  },
  {
    name: 'a system message as parts',
    messages: [{ role: 'system', content: [{ type: 'text', text: 'Be brief.' }] }, hello],
  },
  { name: 'two users in a row', messages: [hello, unicode] },
  { name: 'an assistant first', messages: [hi, hello] },
  { name: 'a system message later', messages: [hello, hi, system, hello] },
  { name: 'an unknown role', messages: [hello, { role: 'narrator', content: 'Meanwhile' }] },
  { name: 'a name', messages: [{ ...hello, name: 'Ann' }] },
  { name: 'an answer last', messages: [hello, hi] },
  {
    name: 'thoughts in the history',
    messages: [hello, { role: 'assistant', content: '<think>\n\n so \n\n</think>\n\n  Hi' }, hello],
  },
  { name: 'thoughts as a field', messages: [hello, { ...hi, reasoning_content: '\nHm.\n' }] },
  { name: 'enable_thinking false', messages: [hello], variables: { enable_thinking: false } },
  { name: 'enable_thinking true', messages: [hello], variables: { enable_thinking: true } },
  { name: 'a variable over a special token', messages: [hello], variables: { bos_token: '<B>' } },
];

const withTools: Conversation[] = [
  { name: 'tools', messages: [hello], tools: [weather, clock] },
  { name: 'tools and a system message', messages: [system, hello], tools: [weather] },
  {
    name: 'tools in the system message',
    messages: [system, hello],
    tools: [weather],
    variables: { tools_in_user_message: false },
  },
  { name: 'no tools in the list', messages: [hello], tools: [] },
  { name: 'tools, the same question twice', messages: [hello, hi, hello], tools: [clock] },
  { name: 'a call', messages: [hello, called(null)], tools: [weather] },
  { name: 'a call without content', messages: [hello, called()], tools: [weather] },
  { name: 'a call with text', messages: [hello, called('Let me see.'), result], tools: [weather] },
  { name: 'a call and its result', messages: [hello, called(null), result], tools: [weather] },
  { name: 'a call, its result and an answer', messages: [hello, called(null), result, hi, hello], tools: [weather] },
  { name: 'calls without tools', messages: [hello, called(null), result] },
  { name: 'two calls', messages: [hello, calledTwice, result, secondResult], tools: [weather, clock] },
];

const continued: Conversation[] = [
  {
    name: 'continued',
    messages: [hello, { role: 'assistant', content: 'The answer is' }],
    continue_final_message: true,
  },
  {
    name: 'continued after a space',
    messages: [hello, { role: 'assistant', content: 'The answer is ' }],
    continue_final_message: true,
  },
  {
    name: 'continued as parts',
    messages: [hello, { role: 'assistant', content: [{ type: 'text', text: 'So' }] }],
    continue_final_message: true,
  },
  {
    name: 'continued thoughts',
    messages: [hello, { role: 'assistant', content: '<think>\nhm' }],
    continue_final_message: true,
  },
  { name: 'continued user', messages: [system, { role: 'user', content: 'Once upon' }], continue_final_message: true },
  { name: 'both ways', messages: [hello, hi], continue_final_message: true, add_generation_prompt: true },
];

/** Every conversation, with and without a generation prompt. */
export const conversations: Conversation[] = [
  ...[...plain, ...withTools].flatMap((conversation) => [
    { ...conversation, name: `${conversation.name}, to be answered`, add_generation_prompt: true },
    { ...conversation, add_generation_prompt: false },
  ]),
  ...continued,
].map((conversation) => ({ ...conversation, variables: { ...date, ...conversation.variables } }));
