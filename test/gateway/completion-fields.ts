import { expect } from 'vitest';
import { directive } from '../support/exchange.ts';
import { type Row, refused, refusedRows } from './field-rows.ts';
import { receivedFor, textsOf } from './requests.ts';
import { samplingRows } from './sampling-fields.ts';

const echo = directive({ echo_parameters: true });
const notBoolean: Row['bad'] = [['yes'], [1]];

/** Every field of a completion request: OpenAI's, then what vLLM adds. */
export const completionRows: Record<string, Row> = {
  model: {
    send: { model: 'vllm-2502' },
    outcome: { seen: ({ body }) => body['model'], is: 'vllm-2502' },
    bad: [[5], [''], [null]],
  },
  prompt: {
    send: { prompt: [`one ${echo}`, `two ${echo}`] },
    outcome: {
      seen: (response) => receivedFor(response).map(({ inputs }) => inputs['text_input']),
      is: [[`one ${echo}`], [`two ${echo}`]],
    },
    bad: [
      [5],
      [''],
      [null],
      [[]],
      [[[]], 'prompt[0]'],
      [[-1], 'prompt[0]'],
      [[1.5]],
      [['x', 1]],
      [['x', '']],
      [[[1], 'x']],
      [{}],
    ],
  },
  ...samplingRows,
  max_tokens: {
    send: { max_tokens: 400 },
    outcome: { sent: { max_tokens: 400 } },
    bad: [[0], [-1], [1.5], ['5']],
  },
  best_of: {
    send: { best_of: 2, seed: 7 },
    outcome: {
      seen: (response) => receivedFor(response).map(({ sampling_parameters: sampling }) => sampling),
      is: [{ max_tokens: 4096, seed: expect.any(Number), logprobs: 0 }],
    },
    bad: [[0], [21], [1.5], ['2']],
  },
  echo: {
    send: { echo: true },
    outcome: {
      seen: (response) => textsOf(response)[0],
      is: expect.stringMatching(/^<<\{"echo_parameters":true\}>>\{"sampling_p/),
    },
    bad: notBoolean,
  },
  logprobs: {
    send: { logprobs: 2 },
    outcome: { sent: { logprobs: 2 }, inputs: { return_logprobs: [true] } },
    bad: [[true], [-1], [21], [1.5], ['2']],
  },
  request_id: {
    send: { request_id: 'mine-1' },
    outcome: { seen: ({ body }) => body['id'], is: 'cmpl-mine-1' },
    bad: [[''], ['a b'], [5], ['x'.repeat(129)]],
  },
  return_tokens_as_token_ids: {
    send: { return_tokens_as_token_ids: true, logprobs: 0 },
    outcome: {
      seen: ({ body }) => (body['choices'] as { logprobs: { tokens: string[] } }[])[0]?.logprobs.tokens[0],
      is: 'token_id:4913',
    },
    bad: notBoolean,
  },
  ...refusedRows(
    {
      suffix: refused('x'),
      add_special_tokens: refused(false, true),
      prompt_embeds: refused('x'),
      messages: refused([{ role: 'user', content: 'x' }]),
      max_completion_tokens: refused(5),
      top_logprobs: refused(1),
    },
    { add_special_tokens: notBoolean },
  ),
};
