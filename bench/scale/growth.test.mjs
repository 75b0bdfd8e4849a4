import { expect, it } from 'vitest';
import { changeWords, display, exponent, growthSentence, signedPercent, slope } from './growth.mjs';

it('fits a line and a power', () => {
  const points = /** @type {[number, number][]} */ ([
    [1, 103],
    [10, 130],
    [100, 400],
  ]);
  expect(slope(points)).toBeCloseTo(3, 10);
  expect(exponent(points.map(([x]) => [x, 7 * x ** 2]))).toBeCloseTo(2, 10);
  expect(exponent(points.map(([x]) => [x, 5]))).toBeCloseTo(0, 10);
});

it('shows as many digits as are known', () => {
  expect([0.034, 1.234, 12.34, 123.4, 4096, 100_000].map(display)).toEqual([
    '0.03',
    '1.23',
    '12.3',
    '123',
    '4,096',
    '100,000',
  ]);
  expect([1, 1.26, 0.5].map(signedPercent)).toEqual(['±0 %', '+26 %', '−50 %']);
});

it('calls a change by its size, and what is within the noise none', () => {
  expect([1, 1.25, 0.8, 1.26, 0.79, 1.99, 2, 12.34].map(changeWords)).toEqual([
    'stays the same within the noise (±0 %)',
    'stays the same within the noise (+25 %)',
    'stays the same within the noise (−20 %)',
    'grows by 26 %',
    'falls by 21 %',
    'grows by 99 %',
    'grows 2 times',
    'grows 12.3 times',
  ]);
});

/** @param {(x: number) => number} of */
const sentence = (of) =>
  growthSentence({ what: 'Cost', unit: 'µs', by: 'streams', points: [1, 10, 100].map((x) => [x, of(x)]) });

it('says how a curve runs from end to end', () => {
  expect(
    [
      () => 5,
      (/** @type {number} */ x) => x,
      (/** @type {number} */ x) => x ** 2,
      Math.sqrt,
      (/** @type {number} */ x) => 100 / x,
    ].map(sentence),
  ).toEqual([
    'Cost stays the same within the noise (±0 %), from 5 µs at 1 stream to 5 at 100.',
    'Cost grows 100 times, in proportion, from 1 µs at 1 stream to 100 at 100.',
    'Cost grows 10,000 times, faster than in proportion, from 1 µs at 1 stream to 10,000 at 100.',
    'Cost grows 10 times, slower than in proportion, from 1 µs at 1 stream to 10 at 100.',
    'Cost falls by 99 %, from 100 µs at 1 stream to 1 at 100.',
  ]);
});

it('does not keep a point between the ends to itself', () => {
  const high = sentence((x) => (x === 10 ? 50 : 5));
  const low = sentence((x) => (x === 10 ? 1 : 5));
  expect([high, low]).toEqual([
    'Cost stays the same within the noise (±0 %), from 5 µs at 1 stream to 5 at 100; between them at most 50 µs at 10.',
    'Cost stays the same within the noise (±0 %), from 5 µs at 1 stream to 5 at 100; between them at least 1 µs at 10.',
  ]);
  expect(() => growthSentence({ what: 'Cost', unit: 'µs', by: 'streams', points: [[1, 1]] })).toThrow(
    'one point is no curve',
  );
});
