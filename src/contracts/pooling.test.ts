import { describe, expect, it } from 'vitest';
import { pool, unit } from './pooling.ts';

const figures = Float32Array.of(1, 2, 3, 4, 8, 9, 100, 100);

describe('pool', () => {
  it.each([
    ['mean', [4, 5]],
    ['cls', [1, 2]],
    ['last', [8, 9]],
  ] as const)('leaves padding out: %s', (method, expected) => {
    expect([...pool(figures, { width: 2, tokens: 3, method })]).toEqual(expected);
  });
});

describe('unit', () => {
  it('gives a vector length one, and leaves one without a direction', () => {
    expect([...unit(Float32Array.of(3, 4))]).toEqual([expect.closeTo(0.6, 6), expect.closeTo(0.8, 6)]);
    expect([...unit(Float32Array.of(0, 0))]).toEqual([0, 0]);
  });
});
