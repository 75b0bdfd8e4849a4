import { expect } from 'vitest';
import { directive } from '../support/exchange.ts';
import { type Row, refused, refusedRows } from './field-rows.ts';
import { receivedFor, textsOf } from './requests.ts';
import { samplingRows } from './sampling-fields.ts';

const echo = directive({ echo_parameters: true });
const prompt = (text: string): Row['outcome'] => ({
  seen: (response) => receivedFor(response)[0]?.inputs['text_input'],
  is: [text],
});
const prefilled = [
  { role: 'user', content: echo },
  { role: 'assistant', content: 'It is:' },
];
const tool = (name: string) => ({ type: 'function', function: { name } });
const notBoolean: Row['bad'] = [['yes'], [1]];
const notText: Row['bad'] = [[5], [{}]];

/** Every field of a chat request: OpenAI's, then what vLLM adds. */
export const chatRows: Record<string, Row> = {
  model: {
    send: { model: 'vllm-2502' },
    outcome: { seen: ({ body }) => body['model'], is: 'vllm-2502' },
    bad: [[5], [''], [null]],
  },
  messages: {
    send: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: echo }], name: 'me' },
      ],
    },
    outcome: prompt(`system: Be brief.\nuser: ${echo}\nassistant:`),
    bad: [
      ['x'],
      [[]],
      [null],
      [[5], 'messages[0]'],
      [[{ role: 'king', content: 'x' }], 'messages[0].role'],
      [[{ content: 'x' }], 'messages[0].role'],
      [[{ role: 'user' }], 'messages[0].content'],
      [[{ role: 'user', content: 5 }], 'messages[0].content'],
      [[{ role: 'user', content: [] }], 'messages[0].content'],
      [[{ role: 'user', content: [{ type: 'text' }] }], 'messages[0].content[0].text'],
      [[{ role: 'user', content: 'x', name: 5 }], 'messages[0].name'],
    ],
  },
  ...samplingRows,
  max_completion_tokens: {
    send: { max_completion_tokens: 400 },
    outcome: { sent: { max_tokens: 400 } },
    bad: [[0], [-1], [1.5], ['5']],
  },
  max_tokens: {
    send: { max_tokens: 400 },
    outcome: { sent: { max_tokens: 400 } },
    bad: [[0], [-1], [1.5], ['5']],
  },
  logprobs: {
    send: { logprobs: true },
    outcome: { sent: { logprobs: 0 }, inputs: { return_logprobs: [true] } },
    bad: [['yes'], [1]],
  },
  top_logprobs: {
    send: { logprobs: true, top_logprobs: 3 },
    outcome: { sent: { logprobs: 3 }, inputs: { return_logprobs: [true] } },
    bad: [[-1], [21], [1.5], ['3'], [3]],
  },
  metadata: {
    send: { metadata: { topic: 'tea' } },
    outcome: { without: 'effect' },
    bad: [
      ['x'],
      [{ a: 5 }, 'metadata.a'],
      [{ a: 'x'.repeat(513) }, 'metadata.a'],
      [Object.fromEntries(Array.from({ length: 17 }, (_, number) => [String(number), 'x']))],
    ],
  },
  reasoning_effort: {
    send: { reasoning_effort: 'low' },
    outcome: prompt(`user: ${echo}\neffort: low\nassistant:`),
    bad: notText,
  },
  verbosity: {
    send: { verbosity: 'low' },
    outcome: prompt(`user: ${echo}\nverbosity: low\nassistant:`),
    bad: notText,
  },
  enable_thinking: {
    send: { enable_thinking: true },
    outcome: prompt(`user: ${echo}\nthinking\nassistant:`),
    bad: [['yes'], [1]],
  },
  safety_identifier: { send: { safety_identifier: 'x' }, outcome: { without: 'effect' }, bad: notText },
  prompt_cache_key: { send: { prompt_cache_key: 'x' }, outcome: { without: 'effect' }, bad: notText },
  prompt_cache_retention: { send: { prompt_cache_retention: '24h' }, outcome: { without: 'effect' }, bad: notText },
  prompt_cache_options: {
    send: { prompt_cache_options: { mode: 'explicit' } },
    outcome: { without: 'effect' },
    bad: [[5]],
  },
  ...refusedRows({
    service_tier: refused('priority', 'default'),
    store: refused(true, false),
    modalities: refused(['text', 'audio'], ['text']),
    functions: refused([{ name: 'f' }]),
    function_call: refused({ name: 'f' }, 'none', 'auto'),
    audio: refused({ voice: 'alloy', format: 'mp3' }),
    prediction: refused({ type: 'content', content: 'x' }),
    web_search_options: refused({}),
    moderation: refused({}),
  }),

  tools: {
    send: { tools: [tool('f'), tool('g')] },
    outcome: prompt(`user: ${echo}\ntools in <tool_call>: f, g\nassistant:`),
    bad: [
      ['x'],
      [[5], 'tools[0]'],
      [[{ type: 'function' }], 'tools[0].function'],
      [[{ type: 'function', function: {} }], 'tools[0].function.name'],
      [[tool('a b')], 'tools[0].function.name'],
      [[tool('f'), tool('f')], 'tools[1].function.name'],
      [[{ type: 'function', function: { name: 'f', parameters: [] } }], 'tools[0].function.parameters'],
    ],
  },
  tool_choice: {
    send: { tools: [tool('f')], tool_choice: { type: 'function', function: { name: 'f' } } },
    outcome: {
      seen: ({ body }) => (body['choices'] as { message: object; finish_reason: string }[])[0],
      is: {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          refusal: null,
          tool_calls: [
            {
              id: expect.stringMatching(/^call_\w{24}$/),
              type: 'function',
              function: {
                name: 'f',
                arguments: expect.stringContaining(
                  String.raw`"structured_outputs": "{\"json\":{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}}"`,
                ),
              },
            },
          ],
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    },
    bad: [['x'], [5], ['required'], [{ type: 'function', function: { name: 'f' } }]],
  },
  parallel_tool_calls: {
    send: { tools: [tool('f')], parallel_tool_calls: false },
    outcome: prompt(`user: ${echo}\ntools in <tool_call>: f\nassistant:`),
    bad: notBoolean,
  },
  include_reasoning: { send: { include_reasoning: true }, outcome: { without: 'effect' }, bad: notBoolean },

  chat_template_kwargs: {
    send: { chat_template_kwargs: { tone: 'calm' } },
    outcome: prompt(`user: ${echo}\ntone: calm\nassistant:`),
    bad: [['x'], [{ messages: [] }, 'chat_template_kwargs.messages'], [{ tools: [] }, 'chat_template_kwargs.tools']],
  },
  documents: {
    send: { documents: [{ title: 'Tea' }] },
    outcome: prompt(`user: ${echo}\ndocuments: [{"title": "Tea"}]\nassistant:`),
    bad: [['x'], [[5], 'documents[0]']],
  },
  add_generation_prompt: {
    send: { add_generation_prompt: false },
    outcome: prompt(`user: ${echo}\n`),
    bad: notBoolean,
  },
  continue_final_message: {
    send: { continue_final_message: true, messages: prefilled },
    outcome: prompt(`user: ${echo}\nassistant: It is:`),
    bad: notBoolean,
  },
  echo: {
    send: { echo: true, continue_final_message: true, messages: prefilled },
    outcome: { seen: (response) => textsOf(response)[0], is: expect.stringMatching(/^It is:\{"sampling_parameters"/) },
    bad: notBoolean,
  },
  request_id: {
    send: { request_id: 'mine-1' },
    outcome: { seen: ({ body }) => body['id'], is: 'chatcmpl-mine-1' },
    bad: [[''], ['a b'], [5], ['x'.repeat(129)]],
  },
  return_tokens_as_token_ids: {
    send: { return_tokens_as_token_ids: true, logprobs: true },
    outcome: {
      seen: ({ body }) => (body['choices'] as { logprobs: { content: { token: string }[] } }[])[0]?.logprobs.content[0],
      is: expect.objectContaining({ token: 'token_id:4913' }),
    },
    bad: notBoolean,
  },
  ...refusedRows(
    {
      best_of: refused(2, 1),
      suffix: refused('x'),
      prompt: refused('x'),
      add_special_tokens: refused(true, false),
      chat_template: refused('{{ messages }}'),
      mm_processor_kwargs: refused({ num_crops: 4 }, {}),
      media_io_kwargs: refused({}),
      return_prompt_text: refused(true, false),
      reasoning: refused({ effort: 'low' }),
    },
    { add_special_tokens: notBoolean, mm_processor_kwargs: [['x'], [[]]] },
  ),
};
