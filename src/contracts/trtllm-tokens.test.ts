import { describe, expect, it } from 'vitest';
import { configOf, displayedInputs, requestOf, sharedSampling } from '../../test/support/contract-fixtures.ts';
import { engineInputs, engineOutputs } from '../repository/trtllm-tensors.ts';
import type { ParameterName, Sampling, TokenInputs } from './contract.ts';
import { type EngineFacts, trtllmTokensContract } from './trtllm-tokens.ts';

const facts: EngineFacts = { limits: {}, addsSpecialTokens: true, gathersLogits: false, stopsByRequest: false };
const decoupled = { model_transaction_policy: { decoupled: true } };
const engine = (changes: Partial<EngineFacts> = {}, parts: Parameters<typeof configOf>[2] = decoupled) =>
  trtllmTokensContract(configOf(engineInputs, engineOutputs, parts), { ...facts, ...changes });
const normalizing = { ...decoupled, parameters: { normalize_log_probs: 'false' } };

const tokens: TokenInputs = {
  prompt: Int32Array.of(11, 12, 13),
  eosIds: [2],
  padId: undefined,
  stopWords: [],
  badWords: [],
  vocabularySize: 6,
};
const request = (sampling: Sampling = {}, changes: Parameters<typeof requestOf>[0] = {}) =>
  requestOf({ tokens, sampling, ...changes });

/** What the lines of every plain request begin with. */
const plain = [
  'input_ids INT32 [1,3] 11,12,13',
  'input_lengths INT32 [1,1] 3',
  'request_output_len INT32 [1,1] 1000000',
  'end_id INT32 [1,1] 2',
  'pad_id INT32 [1,1] 2',
];

describe('what is sent to an engine', () => {
  it('is the prompt in ids, with all parameters of the request', () => {
    const contract = engine({ blockSize: 64 }, normalizing);
    const sampling = {
      ...sharedSampling,
      logitBias: { '1': -5, '4': 2 },
      allowedTokenIds: [3, 4],
    };
    const encoded = contract.encode(
      request(sampling, {
        tokens: { ...tokens, eosIds: [2, 5, 6], padId: 0, stopWords: [[5], [7, 8], []], badWords: [[9, 10, 11]] },
        structure: { json_object: true },
        loraTaskId: 3,
        logprobs: 0,
      }),
    );
    expect(encoded).toMatchObject({
      id: 'r',
      parameters: { triton_enable_empty_final_response: true },
      outputs: ['output_ids', 'sequence_length', 'output_log_probs', 'kv_cache_reused_blocks'],
    });
    expect(displayedInputs(encoded)).toEqual([
      'input_ids INT32 [1,3] 11,12,13',
      'input_lengths INT32 [1,1] 3',
      'request_output_len INT32 [1,1] 9',
      'end_id INT32 [1,1] 2',
      'pad_id INT32 [1,1] 0',
      'stop_words_list INT32 [1,2,5] 5,7,8,5,6,1,3,4,5,-1',
      'bad_words_list INT32 [1,2,3] 9,10,11,3,-1,-1',
      'embedding_bias FP32 [1,6] -10000,-10005,-10000,0,2,-10000',
      'streaming BOOL [1,1] true',
      'exclude_input_in_output BOOL [1,1] true',
      'temperature FP32 [1,1] 0.5',
      'runtime_top_k INT32 [1,1] 40',
      'runtime_top_p FP32 [1,1] 0.25',
      'repetition_penalty FP32 [1,1] 1.5',
      'frequency_penalty FP32 [1,1] 0.5',
      'presence_penalty FP32 [1,1] -0.5',
      'min_tokens INT32 [1,1] 2',
      'seed UINT64 [1,1] 7',
      'guided_decoding_guide_type BYTES [1,1] ["json"]',
      'lora_task_id UINT64 [1,1] 3',
      'return_log_probs BOOL [1,1] true',
      'return_perf_metrics BOOL [1,1] true',
    ]);
  });

  it('is little for a plain request', () => {
    const encoded = engine().encode(request({}, { stream: false }));
    expect(encoded.outputs).toEqual(['output_ids', 'sequence_length']);
    expect(displayedInputs(encoded)).toEqual([
      ...plain,
      'streaming BOOL [1,1] false',
      'exclude_input_in_output BOOL [1,1] true',
      'runtime_top_p FP32 [1,1] 1',
    ]);
  });

  it('has no end token where the response is to ignore it', () => {
    const lines = displayedInputs(engine().encode(request({ ignoreEos: true }, { tokens: { ...tokens, eosIds: [] } })));
    expect(lines.slice(3)).toEqual([
      'end_id INT32 [1,1] -1',
      'streaming BOOL [1,1] true',
      'exclude_input_in_output BOOL [1,1] true',
      'runtime_top_p FP32 [1,1] 1',
    ]);
  });

  it('has a sampling parameter whenever logprobs are requested: there are none otherwise', () => {
    const lines = (sampling: Sampling, contract = engine({}, normalizing)) =>
      displayedInputs(contract.encode(request(sampling, { logprobs: 0 }))).slice(plain.length + 2);
    expect(lines({})).toEqual(['runtime_top_p FP32 [1,1] 1', 'return_log_probs BOOL [1,1] true']);
    expect(lines({ temperature: 0 })).toEqual(['runtime_top_k INT32 [1,1] 1', 'return_log_probs BOOL [1,1] true']);
  });

  it('asks for logits where they are needed, and then for a stream of them', () => {
    const contract = engine({ gathersLogits: true }, normalizing);
    const top = contract.encode(request({}, { logprobs: 2, stream: false }));
    expect(top.outputs).toEqual(['output_ids', 'sequence_length', 'generation_logits']);
    expect(displayedInputs(top).slice(plain.length)).toEqual([
      'streaming BOOL [1,1] true',
      'exclude_input_in_output BOOL [1,1] true',
      'runtime_top_p FP32 [1,1] 1',
      'return_generation_logits BOOL [1,1] true',
    ]);
    expect(contract.encode(request({}, { logprobs: 0 })).outputs).toContain('output_log_probs');
    expect(engine({ gathersLogits: true }).encode(request({}, { logprobs: 0 })).outputs).toContain('generation_logits');
  });

  it('is a stream where a stop sequence may come in other tokens, but never of beams or of a model that cannot', () => {
    const streaming = (contract: ReturnType<typeof engine>, changes: Parameters<typeof requestOf>[0]) =>
      displayedInputs(contract.encode(request({ stop: ['x'] }, changes))).find((line) => line.startsWith('streaming'));
    expect(streaming(engine(), { stream: false })).toBe('streaming BOOL [1,1] true');
    expect(streaming(engine(), { beams: { width: 2, completions: 1 } })).toBe('streaming BOOL [1,1] false');
    expect(streaming(engine({}, {}), {})).toBe('streaming BOOL [1,1] false');
  });

  it('has the width and the length penalty of a beam search', () => {
    const lines = displayedInputs(
      engine().encode(request({}, { beams: { width: 4, completions: 2, lengthPenalty: 0.5 } })),
    );
    expect(lines.slice(plain.length + 2)).toEqual(['beam_width INT32 [1,1] 4', 'len_penalty FP32 [1,1] 0.5']);
  });

  it('asks for the reuse of the cache by the name of the release, and only where blocks have a size', () => {
    const inputs = engineInputs.replace('return_perf_metrics', 'return_kv_cache_reuse_stats');
    const contract = trtllmTokensContract(configOf(inputs, engineOutputs), { ...facts, blockSize: 32 });
    expect(displayedInputs(contract.encode(request())).at(-1)).toBe('return_kv_cache_reuse_stats BOOL [1,1] true');
    expect(engine().encode(request()).outputs).not.toContain('kv_cache_reused_blocks');
  });

  it('ends another request with its id, where the server needs it', () => {
    expect('stopRequest' in engine()).toBe(false);
    const stop = engine({ stopsByRequest: true }).stopRequest?.(request());
    expect(stop).toMatchObject({ id: 'r', model: 'm', outputs: ['output_ids', 'sequence_length'] });
    expect(stop && displayedInputs(stop)).toEqual([
      'input_ids INT32 [1,1] 0',
      'input_lengths INT32 [1,1] 1',
      'request_output_len INT32 [1,1] 1',
      'stop BOOL [1,1] true',
    ]);
  });

  it('cannot be without tokens', () => {
    expect(() => engine().encode(requestOf())).toThrow('needs its prompt in tokens');
  });
});

describe('what an engine supports', () => {
  const parameters: readonly ParameterName[] = [
    ...(['temperature', 'top_p', 'top_k', 'min_p', 'repetition_penalty', 'frequency_penalty'] as const),
    ...(['presence_penalty', 'seed', 'stop', 'logit_bias', 'logprobs', 'top_logprobs', 'structured_outputs'] as const),
    ...(['min_tokens', 'ignore_eos', 'bad_words', 'allowed_token_ids', 'stop_token_ids'] as const),
    ...(['include_stop_str_in_output', 'skip_special_tokens', 'spaces_between_special_tokens'] as const),
    ...(['use_beam_search', 'length_penalty'] as const),
  ];
  const supports = (contract: ReturnType<typeof engine>, kind: string) =>
    parameters.filter((parameter) => contract.support(parameter).kind === kind);
  const bare = 'input_ids INT32 -1\ninput_lengths INT32 1\nrequest_output_len INT32 1';

  it('is nearly all', () => {
    const contract = engine({ limits: { context: 100 }, addsSpecialTokens: false });
    expect(contract).toMatchObject({
      kind: 'trtllm-tokens',
      speaksTokens: true,
      counts: true,
      cutsStopTexts: false,
      addsSpecialTokens: false,
      limits: { context: 100 },
    });
    expect(supports(contract, 'refused')).toEqual(['min_p', 'logprobs', 'top_logprobs']);
    expect(supports(contract, 'emulated')).toEqual([
      'allowed_token_ids',
      'include_stop_str_in_output',
      'skip_special_tokens',
      'spaces_between_special_tokens',
    ]);
  });

  it('is what it has inputs for', () => {
    const contract = trtllmTokensContract(configOf(bare, 'output_ids INT32 -1,-1'), facts);
    expect(supports(contract, 'supported')).toEqual(['ignore_eos']);
    expect(contract.support('stop')).toEqual({ kind: 'emulated' });
    expect(contract.support('allowed_token_ids')).toMatchObject({ kind: 'refused' });
    expect(contract.support('logprobs')).toMatchObject({ reason: 'This engine returns no logprobs.' });
  });

  it.each([
    ['refuses them where they are divided by the length', engine(), 'refused'],
    ['honours them where the model is told not to', engine({}, normalizing), 'supported'],
    ['honours them by the logits', engine({ gathersLogits: true }), 'supported'],
    [
      'honours them from 1.3 on',
      trtllmTokensContract(
        configOf(engineInputs.replace('early_stopping BOOL', 'early_stopping INT32'), engineOutputs),
        facts,
      ),
      'supported',
    ],
    [
      'knows 1.3 by its inputs too',
      trtllmTokensContract(configOf(`${engineInputs}\nprompt_ignore_length INT32 1 optional`, engineOutputs), facts),
      'supported',
    ],
    [
      'refuses them in 1.3 where the model is told so',
      trtllmTokensContract(
        configOf(`${engineInputs}\nprompt_ignore_length INT32 1 optional`, engineOutputs, {
          parameters: { normalize_log_probs: 'true' },
        }),
        facts,
      ),
      'refused',
    ],
  ])('logprobs: %s', (_, contract, kind) => {
    expect(contract.support('logprobs').kind).toBe(kind);
  });

  it('names the remedy', () => {
    expect(engine().support('logprobs')).toMatchObject({
      reason: expect.stringContaining('Set normalize_log_probs to false in its config.pbtxt.'),
    });
    expect(engine({}, normalizing).support('top_logprobs')).toMatchObject({ kind: 'refused' });
    expect(engine({ gathersLogits: true }).support('top_logprobs')).toEqual({ kind: 'supported' });
    expect(engine({ limits: { beamWidth: 1 } }).support('use_beam_search')).toMatchObject({ kind: 'refused' });
    expect(engine({ limits: { beamWidth: 2 } }).support('use_beam_search')).toEqual({ kind: 'supported' });
  });
});
