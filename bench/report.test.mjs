import { describe, expect, it } from 'vitest';
import { compare, median, paceMark, ranksOutside, summarize } from './report.mjs';

/**
 * @param {[round: number, window: number]} when
 * @param {string} gateway
 * @param {Record<string, number>} result
 */
const run = ([round, window], gateway, result, scenario = 's') => ({ round, window, gateway, scenario, result });

describe('medians', () => {
  it('are the middle, or the mean of the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeNaN();
  });

  it('are taken of every figure by gateway and scenario', () => {
    const runs = [run([1, 0], 'a', { x: 1, y: 5 }), run([2, 0], 'a', { x: 3 }), run([1, 0], 'b', { x: 9 })];
    expect(summarize(runs)).toEqual([
      { gateway: 'a', scenario: 's', median: { x: 2, y: 5 }, range: { x: [1, 3], y: [5, 5] } },
      { gateway: 'b', scenario: 's', median: { x: 9 }, range: { x: [9, 9] } },
    ]);
  });
});

describe('a comparison', () => {
  const what = { scenario: 's', figure: 'x', gateway: 'a', against: 'b' };

  it('is of pairs of windows, so that a slow moment of the machine counts for both', () => {
    // The medians alone would say 20 / 60.
    const costs = [
      [10, 40],
      [20, 80],
      [30, 60],
    ];
    const runs = costs.flatMap(([a = 0, b = 0], window) => [
      run([1, window], 'a', { x: a }),
      run([1, window], 'b', { x: b }),
    ]);
    expect(compare(runs, what)).toEqual({ ratio: 0.25, low: 0.25, high: 0.5, pairs: 3 });
  });

  it('leaves out windows that only one of them has, and is none where there is no pair', () => {
    const runs = [
      run([1, 0], 'a', { x: 1 }),
      run([1, 1], 'b', { x: 5 }),
      run([2, 0], 'a', { x: 2 }),
      run([2, 0], 'b', { x: 8 }),
    ];
    expect(compare(runs, what)).toEqual({ ratio: 0.25, low: 0.25, high: 0.25, pairs: 1 });
    expect(compare(runs, { ...what, gateway: 'c' })).toBeUndefined();
    expect(compare(runs, { ...what, figure: 'y' })).toBeUndefined();
  });

  it('has an interval that leaves out the extremes', () => {
    const runs = Array.from({ length: 9 }, (_, window) => [
      run([1, window], 'a', { x: 200 + window }),
      run([1, window], 'b', { x: 400 }),
    ]).flat();
    expect(compare(runs, what)).toEqual({ ratio: 0.51, low: 0.5025, high: 0.5175, pairs: 9 });
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
});

describe('a pace that was not kept', () => {
  const at = (/** @type {number} */ rate) => [
    run([1, 0], 'a', { tokensPerSecond: 25_600 }, 'paced256'),
    run([1, 0], 'b', { tokensPerSecond: rate }, 'paced256'),
  ];
  const marked = (/** @type {number} */ rate) =>
    paceMark(at(rate), 'paced256', ['a', 'b'], { intervalMilliseconds: 10 });

  it('is one of less than 95 %, and marks the ratio', () => {
    expect([marked(24_300), marked(24_400)]).toEqual(['†', '']);
    expect(paceMark(at(1), 'full256', ['a', 'b'], { intervalMilliseconds: 10 })).toBe('');
  });
});
