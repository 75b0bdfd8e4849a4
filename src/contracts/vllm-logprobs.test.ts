import { describe, expect, it } from 'vitest';
import { readVllmLogprobs } from './vllm-logprobs.ts';

const entry = (rank: number | null, text: string | null, logprob = -(rank ?? 9)) =>
  `{"logprob": ${logprob}, "rank": ${rank}, "decoded_token": ${JSON.stringify(text)}}`;
const token = (id: number, text: string, logprob: number) => ({ id, text, logprob });

describe('readVllmLogprobs', () => {
  it('takes the first entry as the chosen token, whatever the numbers of the ids', () => {
    const json = `[{"900": ${entry(2, 'chosen')}, "5": ${entry(1, 'best')}, "12": ${entry(3, 'third')}}]`;
    expect(readVllmLogprobs(json, 2)).toEqual([
      { ...token(900, 'chosen', -2), top: [token(5, 'best', -1), token(900, 'chosen', -2)] },
    ]);
  });

  it('leaves a chosen token out of the best when it is not among them', () => {
    const json = `[{"7": ${entry(40, 'far')}, "1": ${entry(1, 'a')}, "2": ${entry(2, 'b')}}]`;
    expect(readVllmLogprobs(json, 2)).toEqual([
      { ...token(7, 'far', -40), top: [token(1, 'a', -1), token(2, 'b', -2)] },
    ]);
  });

  it('returns no alternatives when none were requested', () => {
    expect(readVllmLogprobs(`[{"7": ${entry(1, 'a')}}, {"8": ${entry(null, null)}}]`, 0)).toEqual([
      { ...token(7, 'a', -1), top: [] },
      { ...token(8, '', -9), top: [] },
    ]);
  });

  it('keeps texts that look like entries', () => {
    const text = '"5": {"logprob": -Infinity';
    expect(readVllmLogprobs(`[{"7": ${entry(1, text)}}]`, 1)).toEqual([
      { ...token(7, text, -1), top: [token(7, text, -1)] },
    ]);
  });

  it('writes what JSON has no number for as OpenAI does', () => {
    for (const word of ['-Infinity', 'NaN']) {
      const json = `[{"7": {"logprob": ${word}, "rank": 1, "decoded_token": "a"}}]`;
      expect(readVllmLogprobs(json, 0)).toEqual([{ ...token(7, 'a', -9999), top: [] }]);
    }
  });

  it('finds nothing in null, and refuses what it cannot read', () => {
    expect(readVllmLogprobs('null', 3)).toEqual([]);
    for (const json of ['', '[{]', '[{}]'])
      expect(() => readVllmLogprobs(json, 1)).toThrow('The backend sent logprobs in a format that Conch cannot read.');
  });
});
