import { expect, it } from 'vitest';
import { figureText } from './figure-text.ts';

it('describes the timings of a response', () => {
  const figures = { firstToken: 84.4, total: 2120, tokens: 101, tokensPerSecond: 49.12, isEstimate: false };
  expect(figureText(figures)).toBe('first token 84 ms · 49.1 tokens/s · 101 tokens in 2.12 s');
  expect(figureText({ ...figures, isEstimate: true })).toBe(
    'first token 84 ms · ≈ 49.1 tokens/s · ≈ 101 tokens in 2.12 s',
  );
  expect(figureText({ ...figures, firstToken: undefined, tokens: 0, tokensPerSecond: undefined })).toBe('');
});
