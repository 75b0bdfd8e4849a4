import { describe, expect, it } from 'vitest';
import { decoded, requestOf, responseOf } from '../../test/support/contract-fixtures.ts';
import { numberTensor, type Tensor, textTensor } from '../kserve/tensors.ts';
import type { GenerateRequest } from './contract.ts';
import { VllmDecoder } from './vllm-decoder.ts';
import { ResponseTokens } from './vllm-returns.ts';

const count = (name: string, value: number): Tensor =>
  numberTensor(name, { datatype: 'UINT32', values: [value], shape: [1] });

/** A response with its counts, as newer releases send it. */
const response = (text: string, { reason = 'None', tokens = 1, more = [] as Tensor[] } = {}) =>
  responseOf(
    [
      textTensor('text_output', [text]),
      textTensor('finish_reason', [reason]),
      count('num_input_tokens', 4),
      count('num_output_tokens', tokens),
      ...more,
    ],
    reason !== 'None',
  );
const plain = (text: string, final = false) => responseOf([textTensor('text_output', [text])], final);
const found = (responses: Parameters<typeof decoded>[1], parts: Partial<GenerateRequest> = {}, tellsReason = true) =>
  decoded(new VllmDecoder(requestOf(parts), { tellsReason, responseTokens: new ResponseTokens() }), responses);

describe('responses of vLLM', () => {
  it('are text, tokens and a reason; the prompt is counted once', () => {
    expect(
      found([response('a'), response('', { tokens: 0 }), response('bc', { tokens: 2, reason: 'length' })]),
    ).toEqual([
      ['prompt', 4],
      ['text', 'a', 1],
      ['text', '', 0],
      ['text', 'bc', 2],
      ['finish', 'length', undefined],
    ]);
  });

  it('after the last one say nothing', () => {
    expect(found([response('a', { reason: 'stop' }), response('b'), responseOf([], true)])).toEqual([
      ['prompt', 4],
      ['text', 'a', 1],
      ['finish', 'stop', undefined],
    ]);
  });

  it.each([
    ['stop', 'stop'],
    ['repetition', 'stop'],
    ['length', 'length'],
  ])('that end with %s ended by %s', (reason, meant) => {
    expect(found([response('', { reason })]).at(-1)).toEqual(['finish', meant, undefined]);
  });

  it('that end for another reason have failed', () => {
    expect(() => found([response('', { reason: 'abort' })])).toThrow('The backend ended the generation early (abort).');
  });

  it('have logprobs where they were requested', () => {
    const json = '[{"7": {"logprob": -0.5, "rank": 1, "decoded_token": "a"}}]';
    const more = [textTensor('logprobs', [json])];
    const token = { id: 7, text: 'a', logprob: -0.5 };
    expect(found([response('a', { more })], { logprobs: 1 })[1]).toEqual([
      'text',
      'a',
      1,
      [{ ...token, top: [token] }],
    ]);
    expect(found([response('a', { more })])[1]).toEqual(['text', 'a', 1]);
  });

  it('count as one token each where nothing says how many they carry, and by their logprobs where there are any', () => {
    const uncounted = (text: string, logprobs: string, reason = 'None') =>
      responseOf(
        [textTensor('text_output', [text]), textTensor('finish_reason', [reason]), textTensor('logprobs', [logprobs])],
        reason !== 'None',
      );
    const entry = '{"7": {"logprob": -0.5, "rank": 1, "decoded_token": "a"}}';
    const responses = [uncounted('a', `[${entry}]`), uncounted('aa', `[${entry}, ${entry}]`), uncounted('', 'null')];
    const tokensOf = (parts: Partial<GenerateRequest>) =>
      (found(responses, parts) as unknown[][]).map(([, , tokens]) => tokens);
    expect(tokensOf({})).toEqual([1, 1, 1]);
    expect(tokensOf({ logprobs: 0 })).toEqual([1, 2, 1]);
  });

  it.each<[string, number | undefined, string]>([
    ['fewer tokens than it may have', 3, 'stop'],
    ['as many tokens as it may have', 2, 'length'],
    ['no limit', undefined, 'stop'],
  ])('of releases that tell no reason end with the last one: %s', (_, maxTokens, reason) => {
    const sampling = maxTokens === undefined ? {} : { maxTokens };
    expect(found([plain('a'), plain('b'), responseOf([], true)], { sampling }, false)).toEqual([
      ['text', 'a', 1],
      ['text', 'b', 1],
      ['finish', reason, undefined],
    ]);
  });
});
