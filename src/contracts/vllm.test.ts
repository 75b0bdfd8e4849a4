import { describe, expect, it } from 'vitest';
import { configOf, displayedInputs, requestOf } from '../../test/support/contract-fixtures.ts';
import { vllmConfig } from '../../test/support/scripted-model.ts';
import type { EngineSampling, ParameterName, Sampling } from './contract.ts';
import { smallestTopP } from './extremes.ts';
import { vllmContract } from './vllm.ts';

const contract = vllmContract(vllmConfig);
/** A release of early 2024: text, and when it is over. */
const oldest = vllmContract(configOf('text_input STRING 1', 'text_output STRING -1', { backend: 'vllm' }));
const embedded = vllmContract({ ...vllmConfig, backend: 'llamacpp' });

const parametersOf = (sampling: Sampling, more = {}, by = contract) => {
  const line = displayedInputs(by.encode(requestOf({ sampling, ...more }))).find((input) =>
    input.startsWith('sampling_'),
  );
  const [text = ''] = JSON.parse(line?.slice(line.indexOf('] ') + 2) ?? '[]') as string[];
  return text;
};

describe('a request to vLLM', () => {
  it('has the tensors that its release declares', () => {
    expect(displayedInputs(contract.encode(requestOf({ sampling: { maxTokens: 3 }, logprobs: 2 })))).toEqual([
      'text_input BYTES [1] ["Hi"]',
      'stream BOOL [1] true',
      'exclude_input_in_output BOOL [1] true',
      'sampling_parameters BYTES [1] ["{\\"max_tokens\\":3,\\"logprobs\\":2}"]',
      'return_finish_reason BOOL [1] true',
      'return_num_input_tokens BOOL [1] true',
      'return_num_output_tokens BOOL [1] true',
      'return_logprobs BOOL [1] true',
    ]);
    const { outputs, parameters } = contract.encode(requestOf({ logprobs: 2 }));
    expect([outputs, parameters]).toEqual([
      ['text_output', 'finish_reason', 'num_input_tokens', 'num_output_tokens', 'logprobs'],
      { triton_enable_empty_final_response: true },
    ]);
  });

  it('is streamed where its tokens are counted by its responses', () => {
    const streams = [contract, oldest].map((each) => displayedInputs(each.encode(requestOf({ stream: false })))[1]);
    expect(streams).toEqual(['stream BOOL [1] false', 'stream BOOL [1] true']);
  });

  it('names every parameter as vLLM does', () => {
    const sampling: Required<Omit<Sampling, 'logitBias' | 'logitsPostProcessorName' | keyof EngineSampling>> = {
      maxTokens: 1,
      minTokens: 2,
      temperature: 0.5,
      topP: 0.25,
      topK: 3,
      minP: 0.125,
      repetitionPenalty: 1.5,
      frequencyPenalty: 0.75,
      presencePenalty: -1,
      seed: 2n ** 60n + 1n,
      stop: ['x'],
      stopTokenIds: [4],
      includeStopText: true,
      ignoreEos: true,
      badWords: ['y'],
      allowedTokenIds: [5],
      skipSpecialTokens: false,
      spacesBetweenSpecialTokens: false,
    };
    expect(parametersOf(sampling)).toBe(
      '{"max_tokens":1,"min_tokens":2,"temperature":0.5,"top_k":3,"min_p":0.125,"repetition_penalty":1.5,' +
        '"frequency_penalty":0.75,"presence_penalty":-1,"seed":1152921504606846977,"stop":["x"],"stop_token_ids":[4],' +
        '"include_stop_str_in_output":true,"ignore_eos":true,"bad_words":["y"],"allowed_token_ids":[5],' +
        '"skip_special_tokens":false,"spaces_between_special_tokens":false,"top_p":0.25}',
    );
  });

  it('has a structure as a text in the text, an adapter by its name, and no top_p of 0', () => {
    const more = { structure: { regex: 'a"b' }, loraName: 'poet' };
    expect(JSON.parse(parametersOf({ topP: 0, maxTokens: 1 }, more))).toEqual({
      max_tokens: 1,
      top_p: smallestTopP,
      lora_name: 'poet',
      structured_outputs: '{"regex":"a\\"b"}',
    });
    expect(() => contract.encode(requestOf({ loraTaskId: 1 }))).toThrow('takes no LoRA adapters by number');
  });

  it('has 32 bits of a seed for the embedded engine', () => {
    expect(parametersOf({ maxTokens: 1, seed: 2n ** 60n + 1n }, {}, embedded)).toBe('{"max_tokens":1,"seed":1}');
  });
});

describe('what a release can do', () => {
  it.each<[ParameterName, string, string, string]>([
    ['logprobs', 'supported', 'refused', 'supported'],
    ['structured_outputs', 'supported', 'refused', 'supported'],
    ['logit_bias', 'refused', 'refused', 'supported'],
    ['use_beam_search', 'refused', 'refused', 'refused'],
    ['stop', 'supported', 'supported', 'supported'],
  ])('%s', (parameter, ...kinds) => {
    expect([contract, oldest, embedded].map((each) => each.support(parameter).kind)).toEqual(kinds);
  });

  it('is read from its configuration', () => {
    const limited = { ...vllmConfig, parameters: { max_model_len: { string_value: '4096' } } };
    expect([contract.limits, vllmContract(limited).limits]).toEqual([{}, { context: 4096 }]);
    expect([contract.counts, oldest.counts]).toEqual([true, false]);
    expect([contract, oldest, embedded].map(({ guide, guidesMayEndEngine }) => [!!guide, guidesMayEndEngine])).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
  });
});
