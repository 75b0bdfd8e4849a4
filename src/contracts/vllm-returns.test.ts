import { describe, expect, it } from 'vitest';
import { configOf, requestOf, responseOf } from '../../test/support/contract-fixtures.ts';
import { vllmConfig } from '../../test/support/scripted-model.ts';
import { numberTensor, textTensor } from '../kserve/tensors.ts';
import type { GenerateRequest, GenerateSink, GenerationContract } from './contract.ts';
import { vllmContract } from './vllm.ts';
import { ResponseTokens } from './vllm-returns.ts';

const all = ['text_output', 'finish_reason', 'num_input_tokens', 'num_output_tokens'];
const unneeded = { counts: { prompt: false, completion: false } };
const silent: GenerateSink = {
  text: () => undefined,
  ids: () => undefined,
  promptTokens: () => undefined,
  cachedTokens: () => undefined,
  promptLogprobs: () => undefined,
  endToken: () => undefined,
  engineReport: () => undefined,
  finish: () => undefined,
};

/** What a request asks for, by its outputs; its flags must say the same. */
function requested(contract: GenerationContract, parts: Partial<GenerateRequest> = {}): readonly string[] {
  const { inputs, outputs = [] } = contract.encode(requestOf(parts));
  const flags = inputs.map(({ name }) => name).filter((name) => name.startsWith('return_'));
  expect(flags).toEqual(outputs.slice(1).map((name) => `return_${name}`));
  return outputs;
}

/** Streams through a contract, each of responses with so many tokens. */
function stream(
  contract: GenerationContract,
  times: number,
  tokens = [1, 1],
  parts: Partial<GenerateRequest> = {},
): void {
  for (let time = 0; time < times; time++) {
    const decoder = contract.decoder(requestOf(parts));
    for (const [at, count] of tokens.entries()) {
      const isLast = at === tokens.length - 1;
      const outputs = [
        textTensor('text_output', ['x']),
        textTensor('finish_reason', [isLast ? 'stop' : 'None']),
        numberTensor('num_output_tokens', { datatype: 'UINT32', values: [count], shape: [1] }),
      ];
      decoder.push(responseOf(outputs, isLast), silent);
    }
  }
}

/** A contract whose streams have shown that a response is a token. */
function watched(config = vllmConfig): GenerationContract {
  const contract = vllmContract(config);
  stream(contract, 8);
  return contract;
}

describe('what a request asks the vLLM backend for', () => {
  it('is everything where nothing says what it needs', () => {
    expect(requested(watched())).toEqual(all);
    expect(requested(watched(), { logprobs: 0 })).toEqual([...all, 'logprobs']);
  });

  it('is the finish reason, and of the counts those that it needs', () => {
    const contract = watched();
    const counts = [true, false].flatMap((prompt) => [true, false].map((completion) => ({ prompt, completion })));
    expect(counts.map((each) => requested(contract, { counts: each }))).toEqual([
      all,
      ['text_output', 'finish_reason', 'num_input_tokens'],
      ['text_output', 'finish_reason', 'num_output_tokens'],
      ['text_output', 'finish_reason'],
    ]);
    expect(requested(contract, { ...unneeded, logprobs: 2 })).toEqual(['text_output', 'finish_reason', 'logprobs']);
  });

  it('is everything where the response comes whole', () => {
    expect(requested(watched(), { ...unneeded, stream: false })).toEqual(all);
  });

  it('is everything of the embedded engine, and of a model that gives no finish reason', () => {
    expect(requested(watched({ ...vllmConfig, backend: 'llamacpp' }), unneeded)).toEqual(all);
    const unreasoned = configOf(
      'text_input STRING 1\nreturn_num_output_tokens BOOL 1 optional',
      'text_output STRING -1\nnum_output_tokens UINT32 -1',
      { backend: 'vllm' },
    );
    expect(requested(watched(unreasoned), unneeded)).toEqual(['text_output', 'num_output_tokens']);
  });
});

describe('the tokens of a response', () => {
  const asksForTokens = (contract: GenerationContract) => requested(contract, unneeded).includes('num_output_tokens');

  it('are requested until eight streams have had one each', () => {
    const contract = vllmContract(vllmConfig);
    stream(contract, 7);
    expect(asksForTokens(contract)).toBe(true);
    stream(contract, 1);
    expect(asksForTokens(contract)).toBe(false);
  });

  it.each([[[1, 2]], [[3, 1]], [[1, 0]]])('are requested again where a stream had %j', (tokens) => {
    const contract = watched();
    stream(contract, 1, tokens);
    stream(contract, 255);
    expect(asksForTokens(contract)).toBe(true);
    stream(contract, 1);
    expect(asksForTokens(contract)).toBe(false);
  });

  it('are not learnt from responses that come whole', () => {
    const contract = watched();
    stream(contract, 1, [9], { stream: false });
    expect(asksForTokens(contract)).toBe(false);
  });

  it('stay requested while every stream has several', () => {
    const tokens = new ResponseTokens();
    for (let time = 0; time < 1000; time++) {
      tokens.saw(2);
      tokens.ended();
    }
    expect(tokens.areSingle).toBe(false);
  });
});
