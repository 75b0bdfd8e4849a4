import { describe, expect, it } from 'vitest';
import { drawLength } from './lengths.ts';
import { Random } from './random.ts';
import { sum } from './statistics.ts';

function drawn(count: number, draw: (random: Random) => number): number[] {
  const random = new Random(42);
  return Array.from({ length: count }, () => draw(random));
}

describe('Random', () => {
  it('gives the same numbers for the same seed, and others for another', () => {
    expect(drawn(3, (random) => random.next())).toEqual([0.6011037519201636, 0.44829055899754167, 0.8524657934904099]);
    expect(new Random(43).next()).not.toBe(0.6011037519201636);
  });

  it('draws from a normal distribution', () => {
    const values = drawn(20_000, (random) => random.normal(100, 10));
    const mean = sum(values) / values.length;
    const deviation = Math.sqrt(sum(values.map((value) => (value - mean) ** 2)) / values.length);
    expect(mean).toBeCloseTo(100, 0);
    expect(deviation).toBeCloseTo(10, 0);
  });

  it('draws times between events that come at a rate of one', () => {
    expect(sum(drawn(20_000, (random) => random.exponential())) / 20_000).toBeCloseTo(1, 1);
  });
});

describe('drawLength', () => {
  it('gives the mean itself where nothing deviates', () => {
    expect(drawn(3, (random) => drawLength({ mean: 7, deviation: 0 }, random))).toEqual([7, 7, 7]);
  });

  it('gives whole numbers from one on', () => {
    const lengths = drawn(1000, (random) => drawLength({ mean: 2, deviation: 5 }, random));
    expect(lengths.every((length) => Number.isInteger(length) && length >= 1)).toBe(true);
  });
});
