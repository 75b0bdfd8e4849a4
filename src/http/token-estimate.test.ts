import { expect, it } from 'vitest';
import { estimateTokens } from './token-estimate.ts';

const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(4000)}` } };
const source = { type: 'b64!', data: 'A'.repeat(4000) };

it.each([
  [
    { prompt: 'a'.repeat(40), max_tokens: 7 },
    { prompt: 10, answers: 7 },
  ],
  [
    { prompt: ['a'.repeat(40), 'b'.repeat(40)], max_tokens: 7, n: 2 },
    { prompt: 20, answers: 28 },
  ],
  [
    { prompt: [1, 2, 3], best_of: 3 },
    { prompt: 3, answers: 768 },
  ],
  [
    { messages: [{ content: [{ text: 'a'.repeat(8) }, image, source] }], max_completion_tokens: 1 },
    { prompt: 6, answers: 1 },
  ],
  [
    { messages: [{ content: 'a'.repeat(8), images: ['A'.repeat(4000)] }], options: { num_predict: 3 } },
    { prompt: 2, answers: 3 },
  ],
  [
    { prompt: 'abcd', options: { num_predict: -1 } },
    { prompt: 1, answers: 256 },
  ],
  [
    { input: 'abcd', max_output_tokens: 5 },
    { prompt: 1, answers: 5 },
  ],
])('guesses the tokens of %j', (body, estimate) => {
  expect(estimateTokens(body, { answers: true })).toEqual(estimate);
  expect(estimateTokens(body, { answers: false })).toEqual({ ...estimate, answers: 0 });
});
