import { expect, it } from 'vitest';
import { scoreOf, scoresOf } from './scores.ts';

const figures = Float32Array.from([0, 1, 2]);
const sum = 1 + Math.E + Math.E ** 2;

it('makes a score of one figure', () => {
  expect(scoreOf(figures, { activation: 'none', label: 2 })).toBe(2);
  expect(scoreOf(figures, { activation: 'sigmoid', label: 0 })).toBe(0.5);
  expect(scoreOf(figures, { activation: 'softmax', label: 1 })).toBeCloseTo(Math.E / sum, 12);
});

it('makes scores of all figures', () => {
  expect(scoresOf(figures, 'none')).toEqual([0, 1, 2]);
  expect(scoresOf(figures, 'sigmoid')[0]).toBe(0.5);
  const softmax = scoresOf(figures, 'softmax');
  for (const label of [0, 1, 2])
    expect(softmax[label]).toBeCloseTo(scoreOf(figures, { activation: 'softmax', label }), 12);
});

it('makes numbers of figures whose powers are past all bounds', () => {
  expect(scoresOf(Float32Array.from([1000, 1000]), 'softmax')).toEqual([0.5, 0.5]);
  expect(scoreOf(Float32Array.from([0, 1000]), { activation: 'softmax', label: 0 })).toBe(0);
});
