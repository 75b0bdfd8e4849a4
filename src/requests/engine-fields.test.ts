import { describe, expect, it } from 'vitest';
import { CompletionRequest } from './completion-request.ts';
import { parseRequest } from './fields.ts';
import { samplingOf } from './sampling.ts';

const samplingFor = (body: object) =>
  samplingOf(parseRequest(CompletionRequest, { model: 'm', prompt: 'x', ...body }).request, {});

describe('the fields for the engine', () => {
  it.each([
    ['priority', 5, 'priority'],
    ['cache_salt', 'tenant', 'cacheSalt'],
    ['thinking_token_budget', 0, 'thinkingTokenBudget'],
    ['repetition_detection', { max_pattern_size: 8, min_pattern_size: 2, min_count: 3 }, 'repetitionDetection'],
    ['logprob_token_ids', [5, 9], 'logprobTokenIds'],
    ['vllm_xargs', { text: 'x', number: 1.5, list: ['x', 2] }, 'engineExtras'],
  ])('%s: %j is the sampling parameter %s', (field, value, name) => {
    expect(samplingFor({ [field]: value })).toEqual({ [name]: value });
    expect(samplingFor({ [field]: null })).toEqual({});
  });

  it.each(['vllm_xargs', 'repetition_detection'])('an empty %s says nothing', (field) => {
    expect(samplingFor({ [field]: {} })).toEqual({});
  });

  it.each<[string, unknown, param?: string]>([
    ['priority', 2 ** 31],
    ['priority', 1.5],
    ['priority', '1'],
    ['cache_salt', ''],
    ['cache_salt', 5],
    ['thinking_token_budget', -2],
    ['repetition_detection', { max_pattern_size: -1 }, 'repetition_detection.max_pattern_size'],
    ['repetition_detection', { size: 1 }],
    ['logprob_token_ids', []],
    ['logprob_token_ids', [-1], 'logprob_token_ids[0]'],
    ['vllm_xargs', { a: { b: 1 } }, 'vllm_xargs.a'],
    ['vllm_xargs', { a: [true] }, 'vllm_xargs.a[0]'],
    ['vllm_xargs', []],
    ['vllm_xargs', { kv_transfer_params: 'x' }, 'vllm_xargs.kv_transfer_params'],
    ['priority', -1],
  ])('%s cannot be %j', (field, value, param = field) => {
    expect(() => samplingFor({ [field]: value })).toThrow(expect.objectContaining({ code: 'invalid_request', param }));
  });

  it('a cache_salt has at most 1024 bytes', () => {
    expect(samplingFor({ cache_salt: 'é'.repeat(512) })).toEqual({ cacheSalt: 'é'.repeat(512) });
    for (const salt of ['é'.repeat(513), 'x'.repeat(2 ** 20)])
      expect(() => samplingFor({ cache_salt: salt })).toThrow('cache_salt: must have at most 1024 bytes.');
  });
});
