import { expect, it } from 'vitest';
import { seeded } from './seeds.ts';

it.each([
  [7, 2, 9],
  [-1, 1, 0],
  [Number.MAX_SAFE_INTEGER, 2, 2n ** 53n + 1n],
  [1763256000123456789n, 3, 1763256000123456792n],
  [2n ** 63n - 1n, 1, -(2n ** 63n)],
])('gives each response of %s its own seed', (seed, offset, own) => {
  expect(seeded({ seed, topK: 1 }, offset)).toEqual({ seed: own, topK: 1 });
});

it('leaves a request without a seed as it is', () => {
  expect(seeded({ topK: 1 }, 3)).toEqual({ topK: 1 });
});
