import { expect } from 'vitest';
import { eventsOf } from '../support/gateway.ts';
import { type Row, refused, refusedRows } from './field-rows.ts';
import { receivedFor } from './requests.ts';

const notBoolean: Row['bad'] = [['yes'], [1]];
const penalty: Row['bad'] = [['1'], [2.1], [-2.1]];
const stops = (count: number) => Array.from({ length: count }, (_, number) => `stop ${number}`);

/** The fields that chat and completions share. */
export const samplingRows = {
  frequency_penalty: { send: { frequency_penalty: 0.5 }, outcome: { sent: { frequency_penalty: 0.5 } }, bad: penalty },
  presence_penalty: { send: { presence_penalty: -0.5 }, outcome: { sent: { presence_penalty: -0.5 } }, bad: penalty },
  temperature: {
    send: { temperature: 0.25 },
    outcome: { sent: { temperature: 0.25 } },
    bad: [['hot'], [-0.1], [2.1]],
  },
  top_p: { send: { top_p: 0.5 }, outcome: { sent: { top_p: 0.5 } }, bad: [['x'], [-0.1], [1.1]] },
  seed: { send: { seed: 7 }, outcome: { sent: { seed: 7 } }, bad: [[1.5], ['7'], [2 ** 70]] },
  n: {
    send: { n: 2, seed: 7 },
    outcome: {
      seen: (response) => receivedFor(response).map(({ sampling_parameters: sampling }) => sampling),
      is: [
        { max_tokens: 4096, seed: 7 },
        { max_tokens: 4096, seed: 8 },
      ],
    },
    bad: [[0], [129], [1.5], ['2']],
  },
  stop: {
    send: { stop: stops(16) },
    outcome: { sent: { stop: stops(16) } },
    bad: [[5], [''], [['a', ''], 'stop[1]'], [[5], 'stop[0]'], [stops(17)]],
  },
  stream: {
    send: { stream: true },
    outcome: {
      seen: (response) => [response.headers.get('content-type'), receivedFor(response)[0]?.inputs['stream']],
      is: ['text/event-stream; charset=utf-8', [true]],
    },
    bad: notBoolean,
  },
  stream_interval: {
    send: { stream: true, stream_interval: 5 },
    // What it does to a stream is in stream-interval.test.ts; the model is told nothing of it.
    outcome: { seen: (response) => receivedFor(response)[0]?.sampling_parameters, is: { max_tokens: 4096 } },
    bad: [[0], [1.5], ['5'], [1_000_001]],
  },
  stream_options: {
    send: { stream: true, stream_options: { include_usage: true, include_obfuscation: false } },
    outcome: {
      seen: ({ text }) => eventsOf(text).at(-2),
      is: expect.objectContaining({
        choices: [],
        usage: expect.objectContaining({ total_tokens: expect.any(Number) }),
      }),
    },
    bad: [
      ['x'],
      [{ include_usage: true }],
      [{ include_usage: 'x' }, 'stream_options.include_usage'],
      [{ continuous_usage_stats: 1 }, 'stream_options.continuous_usage_stats'],
      [{ usage: true }],
    ],
  },
  user: { send: { user: 'me' }, outcome: { without: 'effect' }, bad: [[5]] },
  session_id: { send: { session_id: 'mine' }, outcome: { without: 'effect' }, bad: [[5]] },
  top_k: { send: { top_k: 5 }, outcome: { sent: { top_k: 5 } }, bad: [[-2], [1.5], ['5']] },
  min_p: { send: { min_p: 0.1 }, outcome: { sent: { min_p: 0.1 } }, bad: [[-0.1], [1.1], ['x']] },
  repetition_penalty: {
    send: { repetition_penalty: 1.1 },
    outcome: { sent: { repetition_penalty: 1.1 } },
    bad: [[0], [-1], ['x']],
  },
  min_tokens: {
    send: { min_tokens: 2 },
    outcome: { sent: { min_tokens: 2 } },
    bad: [[-1], [1.5], ['2'], [999_999], [1_000_001]],
  },
  ignore_eos: { send: { ignore_eos: true }, outcome: { sent: { ignore_eos: true } }, bad: notBoolean },
  stop_token_ids: {
    send: { stop_token_ids: [1, 2] },
    outcome: { sent: { stop_token_ids: [1, 2] } },
    bad: [[5], [[-1], 'stop_token_ids[0]'], [[1, 1.5], 'stop_token_ids[1]']],
  },
  include_stop_str_in_output: {
    send: { include_stop_str_in_output: true },
    outcome: { sent: { include_stop_str_in_output: true } },
    bad: notBoolean,
  },
  bad_words: {
    send: { bad_words: ['bad'] },
    outcome: { sent: { bad_words: ['bad'] } },
    bad: [['bad'], [[''], 'bad_words[0]'], [[5], 'bad_words[0]']],
  },
  allowed_token_ids: {
    send: { allowed_token_ids: [1, 2] },
    outcome: { sent: { allowed_token_ids: [1, 2] } },
    bad: [[[]], [5], [[-1], 'allowed_token_ids[0]']],
  },
  skip_special_tokens: {
    send: { skip_special_tokens: false },
    outcome: { sent: { skip_special_tokens: false } },
    bad: notBoolean,
  },
  spaces_between_special_tokens: {
    send: { spaces_between_special_tokens: false },
    outcome: { sent: { spaces_between_special_tokens: false } },
    bad: notBoolean,
  },
  guided_json: {
    send: { guided_json: { type: 'object' } },
    outcome: { sent: { structured_outputs: '{"json":{"type":"object"}}' } },
    bad: [[5], ['{'], [[]]],
  },
  guided_regex: {
    send: { guided_regex: '[a-z]+' },
    outcome: { sent: { structured_outputs: '{"regex":"[a-z]+"}' } },
    bad: [[5], ['']],
  },
  guided_choice: {
    send: { guided_choice: ['yes', 'no'] },
    outcome: { sent: { structured_outputs: '{"regex":"yes|no"}' } },
    bad: [[[]], ['yes']],
  },
  guided_grammar: {
    send: { guided_grammar: 'root ::= "a"' },
    outcome: { sent: { structured_outputs: JSON.stringify({ grammar: 'root ::= "a"' }) } },
    bad: [[5]],
  },
  structured_outputs: {
    send: { structured_outputs: { json: '{"type":"string"}' } },
    outcome: { sent: { structured_outputs: '{"json":{"type":"string"}}' } },
    bad: [[{}], [{ json: {}, regex: 'a' }], ['{}']],
  },
  response_format: {
    send: {
      response_format: { type: 'json_schema', json_schema: { name: 's', schema: { type: 'object' }, strict: true } },
    },
    outcome: { sent: { structured_outputs: '{"json":{"type":"object"}}' } },
    bad: [
      ['json'],
      [{ type: 'xml' }, 'response_format.type'],
      [{ type: 'json_schema' }, 'response_format.json_schema'],
      [{ type: 'json_schema', json_schema: { name: 'a b' } }, 'response_format.json_schema.name'],
    ],
  },
  ...refusedRows(
    {
      logit_bias: refused({ '5': 1 }, {}),
      use_beam_search: refused(true, false),
      beam_width: refused(2, 1),
      length_penalty: refused(0.5, 1),
      prompt_logprobs: refused(1),
      truncate_prompt_tokens: refused(5),
      truncation_side: refused('left'),
      return_token_ids: refused(true, false),
      logits_processors: refused(['x']),
      logits_post_processor_name: refused('x'),
      logprob_token_ids: refused([1]),
      priority: refused(1, 0),
      cache_salt: refused('x'),
      kv_transfer_params: refused({}),
      ec_transfer_params: refused({}),
      vllm_xargs: refused({ a: 1 }, {}),
      thinking_token_budget: refused(5),
      repetition_detection: refused({ max_pattern_size: 5 }, {}),
      watermarking: refused(true, false),
      guided_decoding_backend: refused('a'),
      guided_whitespace_pattern: refused('a'),
      structural_tag: refused({ structures: [], triggers: [] }),
    },
    {
      prompt_logprobs: [[-1], [21], [1.5], ['1'], [true]],
      truncate_prompt_tokens: [[0], [-2], [1.5], ['5']],
      truncation_side: [['up'], [1]],
      return_token_ids: notBoolean,
      logprob_token_ids: [[[]], [5], [[-1], 'logprob_token_ids[0]']],
      priority: [[-1], [1.5], [2 ** 31], ['1']],
      cache_salt: [[''], [5], ['x'.repeat(2 ** 20)]],
      vllm_xargs: [['x'], [{ a: {} }, 'vllm_xargs.a'], [{ a: [true] }, 'vllm_xargs.a[0]']],
      thinking_token_budget: [[-2], [1.5], ['5']],
      repetition_detection: [['x'], [{ min_count: -1 }, 'repetition_detection.min_count'], [{ size: 1 }]],
      guided_whitespace_pattern: [[''], [5], ['(']],
      structural_tag: [['x'], [5], [{}], [{ structures: [] }]],
    },
  ),
} satisfies Record<string, Row>;
