import { describe, expect, it } from 'vitest';
import {
  configOf,
  decoded,
  displayedInputs,
  requestOf,
  responseOf,
  sharedSampling,
} from '../../test/support/contract-fixtures.ts';
import { numberTensor, textTensor } from '../kserve/tensors.ts';
import { blsInputs, ensembleInputs, textOutputs } from '../repository/trtllm-tensors.ts';
import type { ParameterName, Sampling } from './contract.ts';
import { DeclaredInputs } from './declared-inputs.ts';
import { trtllmContract } from './trtllm.ts';

const ensemble = trtllmContract(configOf(ensembleInputs, textOutputs), { decoupled: true });
/** As TensorRT-LLM 0.15 has it: old spellings, no counts, the prompt in the answer. */
const oldInputs = `
  text_input STRING -1
  max_tokens INT32 -1
  bad_words STRING -1
  stop_words STRING -1
  random_seed UINT64 -1 optional
  min_length INT32 -1 optional
  temperature FP32 -1 optional
  stream BOOL -1 optional`;
const old = (decoupled: boolean) =>
  trtllmContract(configOf(oldInputs, 'text_output STRING -1,-1'), { decoupled, addsSpecialTokens: false });

const accumulating = (decoupled: boolean, said = 'True') =>
  trtllmContract(configOf(blsInputs, textOutputs, { parameters: { accumulate_tokens: said } }), { decoupled });

const all: Sampling = {
  ...sharedSampling,
  stop: ['###', 'END'],
  ignoreEos: true,
  badWords: ['bad'],
};

describe('what is sent', () => {
  it('is every parameter as [1, 1], and every list as [1, n]', () => {
    const request = ensemble.encode(requestOf({ sampling: all, structure: { regex: 'a+' }, loraTaskId: 3 }));
    expect(request).toMatchObject({
      model: 'm',
      version: '1',
      id: 'r',
      parameters: { triton_enable_empty_final_response: true },
      outputs: ['text_output', 'num_input_tokens', 'num_output_tokens'],
    });
    expect(displayedInputs(request)).toEqual([
      'text_input BYTES [1,1] ["Hi"]',
      'max_tokens INT32 [1,1] 9',
      'exclude_input_in_output BOOL [1,1] true',
      'stream BOOL [1,1] true',
      'temperature FP32 [1,1] 0.5',
      'top_k INT32 [1,1] 40',
      'top_p FP32 [1,1] 0.25',
      'repetition_penalty FP32 [1,1] 1.5',
      'frequency_penalty FP32 [1,1] 0.5',
      'presence_penalty FP32 [1,1] -0.5',
      'min_tokens INT32 [1,1] 2',
      'seed UINT64 [1,1] 7',
      'stop_words BYTES [1,2] ["###","END"]',
      'bad_words BYTES [1,1] ["bad"]',
      'end_id INT32 [1,1] -1',
      'guided_decoding_guide_type BYTES [1,1] ["regex"]',
      'guided_decoding_guide BYTES [1,1] ["a+"]',
      'lora_task_id UINT64 [1,1] 3',
      'return_num_input_tokens BOOL [1,1] true',
      'return_num_output_tokens BOOL [1,1] true',
    ]);
  });

  it('is little for a plain request', () => {
    expect(displayedInputs(ensemble.encode(requestOf({ stream: false })))).toEqual([
      'text_input BYTES [1,1] ["Hi"]',
      'max_tokens INT32 [1,1] 1000000',
      'exclude_input_in_output BOOL [1,1] true',
      'stream BOOL [1,1] false',
      'top_p FP32 [1,1] 1',
      'return_num_input_tokens BOOL [1,1] true',
      'return_num_output_tokens BOOL [1,1] true',
    ]);
  });

  it('has the old names, and the words that old models insist on', () => {
    const sampling = { maxTokens: 4, seed: -1, minTokens: 2, topP: 0.5, temperature: 0.5, ignoreEos: true };
    expect(displayedInputs(old(true).encode(requestOf({ sampling, stream: false })))).toEqual([
      'text_input BYTES [1,1] ["Hi"]',
      'max_tokens INT32 [1,1] 4',
      'stream BOOL [1,1] true',
      'temperature FP32 [1,1] 0.5',
      'min_length INT32 [1,1] 2',
      `random_seed UINT64 [1,1] ${Number((2 ** 64).toPrecision(6))}`,
      'stop_words BYTES [1,1] [""]',
      'bad_words BYTES [1,1] [""]',
    ]);
  });

  it.each<[string, Sampling, string[]]>([
    ['temperature 0 is the likeliest token', { temperature: 0, topP: 0.5, topK: 5 }, ['top_k INT32 [1,1] 1']],
    [
      'a temperature alone is one among all tokens, where the engine would take the likeliest',
      { temperature: 0.5 },
      ['temperature FP32 [1,1] 0.5', 'top_p FP32 [1,1] 1'],
    ],
    ['top_k -1 is off', { topK: -1 }, ['top_k INT32 [1,1] 0', 'top_p FP32 [1,1] 1']],
    ['top_k 0 with a top_p', { topK: 0, topP: 0.5 }, ['top_k INT32 [1,1] 0', 'top_p FP32 [1,1] 0.5']],
    ['top_p 0 is not "not given"', { topP: 0 }, ['top_p FP32 [1,1] 0.000001']],
    ['a seed alone chooses among all tokens', { seed: 2 }, ['top_p FP32 [1,1] 1', 'seed UINT64 [1,1] 2']],
  ])('%s', (_, sampling, tensors) => {
    const sampled = /^(?:temperature|top_|seed)/;
    expect(displayedInputs(ensemble.encode(requestOf({ sampling }))).filter((line) => sampled.test(line))).toEqual(
      tensors,
    );
  });

  it.each([
    [{ json: { type: 'object' } }, ['json_schema', '{"type":"object"}']],
    [{ json_object: true as const }, ['json']],
    [{ grammar: 'root ::= "a"' }, ['ebnf_grammar', 'root ::= "a"']],
    [{ choice: ['a.b', 'c|d'] }, ['regex', String.raw`(a\.b|c\|d)`]],
  ])('%j is a guide', (structure, guide) => {
    const lines = displayedInputs(ensemble.encode(requestOf({ structure }))).filter((line) =>
      line.startsWith('guided'),
    );
    expect(lines.map((line) => JSON.parse(line.slice(line.indexOf('] ') + 2)))).toEqual(guide.map((text) => [text]));
  });

  it('has the width of a beam search, which is never streamed and has no sampling', () => {
    const beams = { width: 4, completions: 2, lengthPenalty: 0.5 };
    const lines = displayedInputs(ensemble.encode(requestOf({ beams, sampling: { maxTokens: 2, temperature: 0 } })));
    expect(lines.slice(3, -2)).toEqual([
      'stream BOOL [1,1] false',
      'beam_width INT32 [1,1] 4',
      'length_penalty FP32 [1,1] 0.5',
    ]);
    expect(() => ensemble.encode(requestOf({ beams, structure: { regex: 'a' } }))).toThrow(
      'does not support it with beam search',
    );
  });

  it('is not a stream for a model that cannot, and refuses an adapter where there are none', () => {
    const single = trtllmContract(configOf(blsInputs, textOutputs), { decoupled: false });
    expect(displayedInputs(single.encode(requestOf()))).toContain('stream BOOL [1,1] false');
    expect(() => old(true).encode(requestOf({ loraTaskId: 1 }))).toThrow('takes no LoRA adapters');
  });
});

describe('what is read', () => {
  const count = (name: string, value: number) =>
    numberTensor(name, { datatype: 'INT32', values: [value], shape: [1, 1] });
  const response = (text: string | undefined, final = false) =>
    responseOf(
      text === undefined
        ? []
        : [textTensor('text_output', [text], [1, 1]), count('num_input_tokens', 3), count('num_output_tokens', 2)],
      final,
    );
  const uncounted = (text: string | undefined, final = false) =>
    responseOf(text === undefined ? [] : [textTensor('text_output', [text], [1, 1])], final);
  const plain = [
    ['prompt', 3],
    ['text', 'a', 2, 0],
    ['text', ' b', 2, 0],
    ['finish', undefined, 0],
  ];

  it('is the same whether the last data is marked or an empty response follows it', () => {
    const decoder = () => ensemble.decoder(requestOf());
    expect(decoded(decoder(), [response('a'), response(' b', true)])).toEqual(plain);
    expect(decoded(decoder(), [response('a'), response(' b'), response(undefined, true)])).toEqual(plain);
    expect(decoded(decoder(), [response('a'), response(' b', true), response(undefined, true)])).toEqual(plain);
  });

  it('ends with the only response of a model that is not decoupled, marked or not', () => {
    const single = trtllmContract(configOf(blsInputs, textOutputs), { decoupled: false });
    for (const final of [true, false])
      expect(decoded(single.decoder(requestOf()), [response('a', final)])).toEqual([
        ['prompt', 3],
        ['text', 'a', 2, 0],
        ['finish', undefined, 0],
      ]);
  });

  it.each(['true', 'yes', '1', 't'])('is accumulated where its model says %s', (said) => {
    const texts = ['a', 'ab', 'abc'].map((text) => uncounted(text));
    expect(decoded(accumulating(true, said).decoder(requestOf()), texts)).toEqual([
      ['text', 'a', 1, 0],
      ['text', 'b', 1, 0],
      ['text', 'c', 1, 0],
    ]);
  });

  it('is what is new in an accumulated text, with no broken character', () => {
    const texts = ['a', 'a\ufffd', 'a\ufffd\ufffd', 'aé', 'aéb\ufffd'];
    const found = decoded(accumulating(true).decoder(requestOf()), [
      ...texts.map((text) => uncounted(text)),
      uncounted(undefined, true),
    ]);
    expect(found).toEqual([
      ['text', 'a', 1, 0],
      ['text', '', 1, 0],
      ['text', '', 1, 0],
      ['text', 'é', 1, 0],
      ['text', 'b', 1, 0],
      ['text', '\ufffd', 0, 0],
      ['finish', undefined, 0],
    ]);
  });

  it('is every requested beam, the best first', () => {
    const beams = { width: 3, completions: 2 };
    const texts = responseOf(
      [textTensor('text_output', ['best', 'good', 'fair'], [1, 3]), count('num_output_tokens', 7)],
      true,
    );
    expect(decoded(ensemble.decoder(requestOf({ beams })), [texts])).toEqual([
      ['text', 'best', 3, 0],
      ['text', 'good', 2, 1],
      ['finish', undefined, 0],
      ['finish', undefined, 1],
    ]);
  });

  it.each([
    ['Hi there', ' there'],
    ['Hi', ''],
    ['no echo', 'no echo'],
  ])('leaves the prompt out of "%s" where the model does not', (text, response) => {
    expect(decoded(old(false).decoder(requestOf({ stream: false })), [uncounted(text, true)])).toEqual([
      ['text', response, 1, 0],
      ['finish', undefined, 0],
    ]);
  });

  it('keeps a text that begins like the prompt where the model leaves the prompt out', () => {
    const [found] = decoded(ensemble.decoder(requestOf({ stream: false })), [uncounted('Hi there', true)]);
    expect(found).toEqual(['text', 'Hi there', 1, 0]);
  });

  it('finds the prompt in an echo without special tokens', () => {
    const prompt = '<|im_start|>user\nIs a<b?<|im_end|>\n<|im_start|>assistant\n';
    const [found] = decoded(old(false).decoder(requestOf({ prompt })), [
      uncounted('user\nIs a<b?\nassistant\nYes', true),
    ]);
    expect(found).toEqual(['text', 'Yes', 1, 0]);
  });

  it('keeps a streamed text as it is: no prompt is repeated there', () => {
    const [found] = decoded(old(true).decoder(requestOf({ stream: false })), [uncounted('Hi there', true)]);
    expect(found).toEqual(['text', 'Hi there', 1, 0]);
  });
});

describe('what it supports', () => {
  const supports = (contract: typeof ensemble, kind: string) =>
    parameters.filter((parameter) => contract.support(parameter).kind === kind);
  const parameters: readonly ParameterName[] = [
    ...(['temperature', 'top_p', 'top_k', 'min_p', 'repetition_penalty', 'frequency_penalty'] as const),
    ...(['presence_penalty', 'seed', 'stop', 'logit_bias', 'logprobs', 'top_logprobs', 'structured_outputs'] as const),
    ...(['min_tokens', 'ignore_eos', 'bad_words', 'allowed_token_ids', 'stop_token_ids'] as const),
    ...(['include_stop_str_in_output', 'skip_special_tokens', 'spaces_between_special_tokens'] as const),
    ...(['use_beam_search', 'length_penalty'] as const),
  ];

  it('is what a model has inputs for', () => {
    expect(ensemble).toMatchObject({
      kind: 'trtllm',
      counts: true,
      guessesCounts: false,
      cutsStopTexts: false,
      speaksTokens: false,
      addsSpecialTokens: true,
      limits: {},
    });
    expect(supports(ensemble, 'refused')).toEqual([
      'min_p',
      'logit_bias',
      'logprobs',
      'top_logprobs',
      'allowed_token_ids',
      'stop_token_ids',
      'skip_special_tokens',
      'spaces_between_special_tokens',
    ]);
    expect(supports(ensemble, 'emulated')).toEqual(['include_stop_str_in_output']);
  });

  it('is less in old releases, which do not count either', () => {
    expect(old(true)).toMatchObject({ counts: false, guessesCounts: true, addsSpecialTokens: false });
    expect(supports(old(true), 'supported')).toEqual(['temperature', 'seed', 'stop', 'min_tokens', 'bad_words']);
  });

  it('has no beams in a model that accumulates', () => {
    expect(accumulating(true).support('use_beam_search')).toMatchObject({ kind: 'refused' });
    expect(accumulating(false).support('use_beam_search')).toEqual({ kind: 'supported' });
  });

  it('says why, and what to do', () => {
    expect(old(true).support('top_k')).toEqual({ kind: 'refused', reason: 'This model has no input for it (top_k).' });
    const half = configOf(`${oldInputs}\nguided_decoding_guide_type STRING 1 optional`, textOutputs);
    for (const contract of [old(true), trtllmContract(half, { decoupled: true })])
      expect(contract.support('structured_outputs')).toMatchObject({ reason: expect.stringContaining('0.19') });
    for (const parameter of ['logprobs', 'logit_bias', 'stop_token_ids'] as const)
      expect(ensemble.support(parameter)).toMatchObject({
        reason: expect.stringContaining('Set a tokenizer for it'),
      });
  });
});

it('writes a 64-bit seed with all of its bits, and the lowest ones where the input has fewer', () => {
  const seed = 1763256000123456789n;
  const written = (type: string) => {
    const inputs = new DeclaredInputs({
      name: 'm',
      platform: '',
      backend: '',
      max_batch_size: 0,
      input: [{ name: 'seed', data_type: type, dims: [1] }],
      output: [],
      parameters: {},
    });
    return inputs.integer(['random_seed', 'seed'], seed).map(({ datatype, shape, data }) => [datatype, shape, data]);
  };
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(seed);
  expect(written('TYPE_UINT64')).toEqual([['UINT64', [1], bytes]]);
  expect(written('TYPE_INT64')).toEqual([['INT64', [1], bytes]]);
  expect(written('TYPE_INT32')).toEqual([['INT32', [1], bytes.subarray(0, 4)]]);
  expect(written('TYPE_STRING')).toEqual([]);
});
