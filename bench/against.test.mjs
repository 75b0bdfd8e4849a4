import { expect, it } from 'vitest';
import { againstTable, compared, ranksOutside } from './against.mjs';

it('compares pairs by their ratio, with an interval that leaves out the extremes', () => {
  const pairs = Array.from({ length: 9 }, (_, index) => [
    { microsecondsPerRequest: 200 + index },
    { microsecondsPerRequest: 400 },
  ]);
  expect(compared('request', 'microsecondsPerRequest', pairs)).toEqual({
    scenario: 'request',
    unit: 'µs/request',
    tree: 204,
    ref: 400,
    ratio: 0.51,
    low: 0.5025,
    high: 0.5175,
    pairs: 9,
  });
});

// From tables of the sign test: the interval leaves out so many values on each side.
it.each([
  [1, 0],
  [5, 0],
  [6, 0],
  [9, 1],
  [12, 2],
  [16, 3],
  [20, 5],
])('of %i pairs leaves out %i on each side', (count, ranks) => {
  expect(ranksOutside(count)).toBe(ranks);
});

it('says what is a difference and what is noise', () => {
  const row = { scenario: 'token', unit: 'µs/token', tree: 4, ref: 5, pairs: 12 };
  const table = againstTable('abc', [
    { ...row, ratio: 0.8, low: 0.7, high: 0.9 },
    { ...row, ratio: 1, low: 0.9, high: 1.1 },
    { ...row, ratio: 1.2, low: 1.1, high: 1.3 },
  ]);
  expect(table.split('\n').map((line) => line.split('|').at(-2)?.trim())).toEqual([
    '',
    '----------------',
    'cheaper',
    'within the noise',
    'dearer',
    undefined,
  ]);
});
