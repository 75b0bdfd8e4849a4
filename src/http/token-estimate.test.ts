import { expect, it } from 'vitest';
import type { JsonObject } from '../json-object.ts';
import { estimatePrompt, estimateWith } from './token-estimate.ts';

const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(4000)}` } };
const source = { type: 'b64!', data: 'A'.repeat(4000) };

it.each([
  [
    { prompt: 'a'.repeat(40), max_tokens: 7 },
    { prompt: 10, completion: 7 },
  ],
  [
    { prompt: ['a'.repeat(40), 'b'.repeat(40)], max_tokens: 7, n: 2 },
    { prompt: 20, completion: 28 },
  ],
  [
    { prompt: [1, 2, 3], best_of: 3 },
    { prompt: 3, completion: 768 },
  ],
  [
    { messages: [{ content: [{ text: 'a'.repeat(8) }, image, source] }], max_completion_tokens: 1 },
    { prompt: 6, completion: 1 },
  ],
  [{ messages: [{ content: 'a'.repeat(8), images: ['A'.repeat(4000)] }] }, { prompt: 2, completion: 256 }],
] as const)('guesses the tokens of %j', (body: JsonObject, estimate) => {
  const estimateTokens = estimateWith((fields) => fields['max_completion_tokens'] ?? fields['max_tokens']);
  expect(estimateTokens(body)).toEqual(estimate);
  expect(estimatePrompt(body)).toEqual({ ...estimate, completion: 0 });
});
