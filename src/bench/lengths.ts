import type { Random } from './random.ts';

/** A distribution of text lengths, in tokens. */
export interface Lengths {
  readonly mean: number;
  readonly deviation: number;
}

/** One length of the distribution: a whole number, at least one. */
export function drawLength({ mean, deviation }: Lengths, random: Random): number {
  return Math.max(1, Math.round(deviation === 0 ? mean : random.normal(mean, deviation)));
}
