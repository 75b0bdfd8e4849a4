import { describe, expect, it } from 'vitest';
import { distribution, percentile, summarize } from './statistics.ts';

describe('summarize', () => {
  it('says what numpy says of the same values', () => {
    // np.percentile([15, 20, 35, 40, 50], [99, 90, 75, 50]) and np.std of them
    expect(summarize([35, 15, 50, 20, 40])).toEqual({
      avg: 32,
      min: 15,
      max: 50,
      p99: 49.6,
      p90: 46,
      p75: 40,
      p50: 35,
      std: Math.sqrt((17 ** 2 + 12 ** 2 + 3 ** 2 + 8 ** 2 + 18 ** 2) / 5),
    });
  });

  it('says of one value that all are it', () => {
    expect(summarize([3])).toEqual({ avg: 3, min: 3, max: 3, p99: 3, p90: 3, p75: 3, p50: 3, std: 0 });
  });

  it('says nothing of none', () => {
    expect(summarize([])).toBeUndefined();
  });
});

describe('percentile', () => {
  it('is interpolated linearly between its neighbours', () => {
    expect([0, 25, 50, 100].map((percent) => percentile([1, 2, 3, 10], percent))).toEqual([1, 1.75, 2.5, 10]);
  });
});

describe('distribution', () => {
  it('has a value for every percent', () => {
    const points = distribution([10, 0]);
    expect(points).toHaveLength(101);
    expect([points[0], points[50], points[100]]).toEqual([
      [0, 0],
      [50, 5],
      [100, 10],
    ]);
  });
});
