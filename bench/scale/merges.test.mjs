import { expect, it } from 'vitest';
import { learnMerges } from './merges.mjs';

it('joins what stands together most often, and then what that makes', () => {
  const text = 'low low low low lower lower newest newest newest newest newest newest widest widest widest';
  expect(learnMerges(text, 6, (word) => Array.from(word))).toEqual([
    ['e', 's'],
    ['es', 't'],
    ['l', 'o'],
    [' ', 'n'],
    ['e', 'w'],
    ['lo', 'w'],
  ]);
});

it('stops where nothing stands together twice', () => {
  expect(learnMerges('ab cd', 10, (word) => Array.from(word))).toEqual([]);
});
