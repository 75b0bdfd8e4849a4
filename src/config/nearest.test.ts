import { describe, expect, it } from 'vitest';
import { didYouMean, nearest } from './nearest.ts';

describe('nearest', () => {
  const candidates = ['--port', '--host', '--tokenizer', '--default-max-tokens', '--triton'];

  it.each([
    ['--prot', '--port'],
    ['--pots', undefined],
    ['CONCH_PROT', undefined],
    ['--tokeniser', '--tokenizer'],
    ['--tokenzier', '--tokenizer'],
    ['--Default_Max_Tokens', '--default-max-tokens'],
    ['--default-max', '--default-max-tokens'],
    ['--trito', '--triton'],
    ['--colour', undefined],
    ['', undefined],
  ])('finds for %j the word %j', (word, expected) => {
    expect(nearest(word, candidates)).toBe(expected);
  });

  it('writes the end of an error line, or nothing', () => {
    expect(didYouMean('--prot', candidates)).toBe(' Did you mean --port?');
    expect(didYouMean('--colour', candidates)).toBe('');
  });
});
