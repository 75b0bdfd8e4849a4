import { describe, expect, it } from 'vitest';
import { readSamplingParameters } from './sampling-parameters.ts';

describe('readSamplingParameters', () => {
  it("has vLLM's defaults", () => {
    expect(readSamplingParameters('{}')).toMatchObject({
      max_tokens: 16,
      temperature: 1,
      top_p: 1,
      top_k: 0,
      stop: [],
      skip_special_tokens: true,
    });
    expect(readSamplingParameters(undefined)).toMatchObject({ max_tokens: 16 });
  });

  it('takes one stop text or several, null for nothing, and what Conch sends', () => {
    expect(readSamplingParameters('{"stop": "a", "seed": null}')).toMatchObject({ stop: ['a'] });
    expect(readSamplingParameters('{"stop": ["a", "b"], "max_tokens": 1000000, "top_k": -1}')).toMatchObject({
      stop: ['a', 'b'],
    });
  });

  it("takes the request's own parameters where there is no tensor, without those of the protocol", () => {
    const parameters = { max_tokens: 5, triton_enable_empty_final_response: true, priority: 1, sequence_id: 3 };
    expect(readSamplingParameters(undefined, parameters)).toMatchObject({ max_tokens: 5 });
    expect(readSamplingParameters('{}', parameters)).toMatchObject({ max_tokens: 16 });
  });

  it.each([
    ['{', 'sampling_parameters must be valid JSON'],
    ['[1]', 'sampling_parameters must be a JSON object'],
    ['{"max_tokens": "5"}', 'sampling_parameters.max_tokens: '],
    ['{"max_tokens": 1.5}', 'sampling_parameters.max_tokens: '],
    ['{"stop": [""]}', 'sampling_parameters.stop'],
    ['{"logit_bias": {"5": 101}}', 'sampling_parameters.logit_bias.5: '],
    ['{"allowed_token_ids": []}', 'sampling_parameters.allowed_token_ids: '],
    [
      '{"prompt_logprobs": 1}',
      'sampling_parameters.prompt_logprobs: not supported; the embedded engine does not return logprobs of the prompt.',
    ],
    ['{"detokenize": false}', 'sampling_parameters.detokenize: must be true'],
  ])('refuses %s and says where', (text, message) => {
    expect(() => readSamplingParameters(text)).toThrow(message);
  });
});
