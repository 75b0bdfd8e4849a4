import { describe, expect, it } from 'vitest';
import { configOf, decoded, displayedInputs, requestOf, responseOf } from '../../test/support/contract-fixtures.ts';
import { StatusError } from '../kserve/status.ts';
import { numberTensor, type Tensor, textTensor } from '../kserve/tensors.ts';
import type { ParameterName } from './contract.ts';
import { llmapiContract } from './llmapi.ts';

const inputs = `
  text_input STRING -1
  streaming BOOL 1 optional
  sampling_param_best_of INT32 1 optional
  sampling_param_temperature FP32 1 optional
  sampling_param_top_k INT32 1 optional
  sampling_param_top_p FP32 1 optional
  sampling_param_frequency_penalty FP32 1 optional
  sampling_param_presence_penalty FP32 1 optional
  sampling_param_max_tokens INT32 1 optional
  sampling_param_stop STRING -1 optional
  sampling_param_seed UINT64 1 optional
  sampling_param_exclude_input_from_output BOOL 1 optional
  sampling_param_return_perf_metrics BOOL 1 optional
  return_finish_reason BOOL 1 optional
  stop BOOL 1 optional`;
const outputs = `
  text_output STRING -1
  finish_reason STRING -1
  kv_cache_reused_block INT32 -1`;
const config = configOf(inputs, outputs, { max_batch_size: 0 });
const facts = { decoupled: true, stopsByRequest: false };
const contract = llmapiContract(config, facts);

describe('what is sent to the LLM API', () => {
  it('is every parameter without a batch dimension; stop sequences are not', () => {
    const sampling = {
      maxTokens: 9,
      temperature: 0.5,
      topP: 0.25,
      topK: 40,
      frequencyPenalty: 0.5,
      presencePenalty: -0.5,
      seed: 7,
      stop: ['###'],
    };
    const request = llmapiContract(config, { ...facts, blockSize: 32 }).encode(requestOf({ sampling, stream: false }));
    expect(request.outputs).toEqual(['text_output', 'finish_reason', 'kv_cache_reused_block']);
    expect(displayedInputs(request)).toEqual([
      'text_input BYTES [1] ["Hi"]',
      'streaming BOOL [1] true',
      'sampling_param_max_tokens INT32 [1] 9',
      'sampling_param_exclude_input_from_output BOOL [1] true',
      'sampling_param_temperature FP32 [1] 0.5',
      'sampling_param_top_k INT32 [1] 40',
      'sampling_param_top_p FP32 [1] 0.25',
      'sampling_param_frequency_penalty FP32 [1] 0.5',
      'sampling_param_presence_penalty FP32 [1] -0.5',
      'sampling_param_seed UINT64 [1] 7',
      'return_finish_reason BOOL [1] true',
      'sampling_param_return_perf_metrics BOOL [1] true',
    ]);
  });

  it('is little for a plain request, and no stream for a model that cannot', () => {
    const plain = [
      'text_input BYTES [1] ["Hi"]',
      'streaming BOOL [1] false',
      'sampling_param_max_tokens INT32 [1] 1000000',
      'sampling_param_exclude_input_from_output BOOL [1] true',
      'sampling_param_top_p FP32 [1] 1',
      'return_finish_reason BOOL [1] true',
    ];
    expect(displayedInputs(contract.encode(requestOf({ stream: false })))).toEqual(plain);
    const single = llmapiContract(config, { ...facts, decoupled: false });
    expect(displayedInputs(single.encode(requestOf({ sampling: { stop: ['x'] } })))).toEqual(plain);
  });

  it('has a batch dimension where the model has one, and no adapter', () => {
    const batched = llmapiContract({ ...config, max_batch_size: 4 }, facts);
    expect(displayedInputs(batched.encode(requestOf()))[0]).toBe('text_input BYTES [1,1] ["Hi"]');
    expect(() => contract.encode(requestOf({ loraTaskId: 1 }))).toThrow('takes no LoRA adapters');
  });

  it('is where the server has an adapter, if the release takes adapters', () => {
    const lora = 'lora_id UINT64 1 optional\nlora_name STRING 1 optional\nlora_path STRING 1 optional';
    const source = 'lora_ckpt_source STRING 1 optional';
    const newer = llmapiContract(configOf(`${inputs}\n${lora}\n${source}`, outputs, { max_batch_size: 0 }), facts);
    expect([newer.takesAdapterPaths, contract.takesAdapterPaths]).toEqual([true, false]);
    const adapterPath = { id: 7, path: '/adapters/sql', source: 'nemo' } as const;
    const sent = displayedInputs(newer.encode(requestOf({ loraName: 'sql', adapterPath })));
    expect(sent.filter((line) => line.startsWith('lora_'))).toEqual([
      'lora_id UINT64 [1] 7',
      'lora_name BYTES [1] ["sql"]',
      'lora_path BYTES [1] ["/adapters/sql"]',
      'lora_ckpt_source BYTES [1] ["nemo"]',
    ]);
    expect(displayedInputs(newer.encode(requestOf())).some((line) => line.startsWith('lora_'))).toBe(false);
  });

  it('is the name of a logits post-processor, if the release takes one', () => {
    const name = 'sampling_param_logits_post_processor_name';
    const newer = llmapiContract(
      configOf(`${inputs}\n${name} STRING 1 optional`, outputs, { max_batch_size: 0 }),
      facts,
    );
    const parameter = 'logits_post_processor_name';
    expect([newer.support(parameter), contract.support(parameter)]).toEqual([
      { kind: 'supported' },
      { kind: 'refused', reason: `This model has no input for it (${name}).` },
    ]);
    const request = requestOf({ sampling: { logitsPostProcessorName: 'lowercase' } });
    const sent = (encoded: typeof contract) =>
      displayedInputs(encoded.encode(request)).filter((line) => line.startsWith(name));
    expect([sent(newer), sent(contract)]).toEqual([[`${name} BYTES [1] ["lowercase"]`], []]);
  });

  it('ends another request with its id, where the server needs it', () => {
    expect('stopRequest' in contract).toBe(false);
    const stop = llmapiContract(config, { ...facts, stopsByRequest: true }).stopRequest?.(requestOf());
    expect(stop).toMatchObject({ id: 'r', outputs: ['text_output'] });
    expect(stop && displayedInputs(stop)).toEqual(['text_input BYTES [1] [""]', 'stop BOOL [1] true']);
  });
});

describe('what is read from the LLM API', () => {
  const response = (text: string, reason: string, { final = false, more = [] as Tensor[] } = {}) =>
    responseOf([textTensor('text_output', [text]), textTensor('finish_reason', [reason]), ...more], final);
  const empty = responseOf([], true);

  it('is what is new in the text, with no broken character, and one finish', () => {
    const texts = ['a', 'a\ufffd', 'aé', 'aé'].map((text) => response(text, 'None'));
    const found = [
      ['text', 'a', 1, 0],
      ['text', '', 1, 0],
      ['text', 'é', 1, 0],
      ['text', '', 1, 0],
      ['text', '!', 1, 0],
      ['text', '\ufffd', 0, 0],
      ['finish', 'length', 0],
    ];
    const last = (final: boolean) => response('aé!\ufffd', 'length', { final });
    expect(decoded(contract.decoder(requestOf()), [...texts, last(true)])).toEqual(found);
    expect(decoded(contract.decoder(requestOf()), [...texts, last(false), empty])).toEqual(found);
  });

  it('ends without a reason where the engine never gave one', () => {
    expect(decoded(contract.decoder(requestOf()), [response('a', 'None'), empty])).toEqual([
      ['text', 'a', 1, 0],
      ['finish', undefined, 0],
    ]);
  });

  it.each([
    ['timeout', 'deadline_exceeded'],
    ['cancelled', 'backend_error'],
  ])('%s is no end', (reason, code) => {
    expect(() => decoded(contract.decoder(requestOf()), [response('a', reason)])).toThrow(
      expect.objectContaining({ code }) as Error,
    );
  });

  const reportNames = [
    'arrival_time_ns',
    'first_scheduled_time_ns',
    'first_token_time_ns',
    'last_token_time_ns',
    'total_draft_tokens',
    'total_accepted_draft_tokens',
    'kv_cache_hit_rate',
  ];
  const newer = llmapiContract(
    configOf(inputs, `${outputs}\n${reportNames.map((name) => `${name} INT64 1`).join('\n')}`, { max_batch_size: 0 }),
    facts,
  );
  const report = (...values: readonly (number | string)[]): Tensor[] =>
    reportNames.slice(0, values.length).map((name, at) => textTensor(name, [String(values[at])]));

  it('is the times and drafts of the engine, where the release has them', () => {
    const request = newer.encode(requestOf());
    expect(request.outputs).toEqual(['text_output', 'finish_reason', ...reportNames]);
    expect(displayedInputs(request)).toContain('sampling_param_return_perf_metrics BOOL [1] true');
    const last = report(5_000_000_000, 5_002_000_000, 5_010_500_000, 5_110_500_000, 12, 9, 0.75);
    const responses = [
      response('a', 'None', { more: report(5_000_000_000, 5_002_000_000, 5_010_500_000, 5_010_500_000, 0, 0, 0.75) }),
      response('ab', 'stop', { more: last, final: true }),
    ];
    expect(decoded(newer.decoder(requestOf()), responses)).toEqual([
      ['text', 'a', 1, 0],
      ['text', 'b', 1, 0],
      [
        'engine',
        { times: { queue: 2, prefill: 8.5, decode: 100 }, cacheHitRate: 0.75, drafts: { proposed: 12, accepted: 9 } },
      ],
      ['finish', 'stop', 0],
    ]);
  });

  it.each([
    ['no numbers', report('None', 'None', 'None', 'None', 'None', 'None', 'None')],
    ['times that were not measured', report(0, 0, 0, 0, 0, 0, 0)],
    ['times in the wrong order', report(9, 8, 7, 6, 0, 0, 0.5)],
    ['no report', []],
  ])('is no report: %s', (_, more) => {
    const found = decoded(newer.decoder(requestOf()), [response('a', 'stop', { more, final: true })]);
    expect(found).toEqual([
      ['text', 'a', 1, 0],
      ['finish', 'stop', 0],
    ]);
  });

  it.each([1.5, -1, 'None'])('is no share of the cache: %s', (rate) => {
    const more = report(1e6, 2e6, 3e6, 4e6, 0, 0, rate);
    const found = decoded(newer.decoder(requestOf()), [response('a', 'stop', { more, final: true })]);
    expect(found[1]).toEqual(['engine', { times: { queue: 1, prefill: 1, decode: 1 }, drafts: undefined }]);
  });

  it('is not requested where it is all that the release measures', () => {
    const older = llmapiContract(
      configOf(inputs, `${outputs}\nkv_cache_hit_rate FP32 1`, { max_batch_size: 0 }),
      facts,
    );
    const { outputs: requested } = older.encode(requestOf());
    expect(requested).toEqual(['text_output', 'finish_reason']);
  });

  it('is how much was cached, as a number or as a text', () => {
    const counted = llmapiContract(config, { ...facts, blockSize: 32 });
    const name = 'kv_cache_reused_block';
    for (const tensor of [textTensor(name, ['3']), numberTensor(name, { datatype: 'INT32', values: [3], shape: [1] })])
      expect(decoded(counted.decoder(requestOf()), [response('a', 'stop', { more: [tensor], final: true })])).toEqual([
        ['text', 'a', 1, 0],
        ['cached', 96],
        ['finish', 'stop', 0],
      ]);
  });
});

it('supports what it has inputs for, and emulates stop sequences', () => {
  const parameters: readonly ParameterName[] = [
    ...(['temperature', 'top_p', 'top_k', 'frequency_penalty', 'presence_penalty', 'seed'] as const),
    ...(['stop', 'include_stop_str_in_output', 'min_p', 'repetition_penalty', 'logit_bias', 'logprobs'] as const),
    ...(['top_logprobs', 'structured_outputs', 'min_tokens', 'ignore_eos', 'bad_words', 'allowed_token_ids'] as const),
    ...(['stop_token_ids', 'skip_special_tokens', 'spaces_between_special_tokens', 'use_beam_search'] as const),
    'length_penalty',
  ];
  const kinds = parameters.map((parameter) => contract.support(parameter).kind);
  expect(kinds).toEqual([
    ...Array.from({ length: 6 }, () => 'supported'),
    'emulated',
    'emulated',
    ...Array.from({ length: 15 }, () => 'refused'),
  ]);
  expect(contract).toMatchObject({
    kind: 'llmapi',
    counts: false,
    guessesCounts: true,
    cutsStopTexts: false,
    limits: {},
  });
  for (const parameter of ['min_p', 'min_tokens'] as const)
    expect(contract.support(parameter)).toEqual({
      kind: 'refused',
      reason: "The model on TensorRT-LLM's LLM API has no input for it.",
    });
});

it('explains what the LLM API says of a prompt that is too long', () => {
  const text =
    'Error generating request: The sum of prompt length (200.0), query length (0) should not exceed max_num_tokens (100)';
  expect(contract.explain(new StatusError('INTERNAL', text))).toMatchObject({ code: 'context_length_exceeded' });
});

it.each([
  ["Available: ['lowercase', 'no_digits']", 'lowercase, no_digits'],
  ['Available: none configured', 'none'],
])('explains an unknown logits post-processor: %s', (available, names) => {
  const text = `Error generating request: Unknown logits post-processor 'x'. Processors must be declared. ${available}`;
  expect(contract.explain(new StatusError('INTERNAL', text))).toMatchObject({
    code: 'invalid_request',
    param: 'logits_post_processor_name',
    message: `This model has no logits post-processor "x". It has: ${names}.`,
  });
});
