/** Variants that are measured in turn, so that what else the machine does meets all of them. */
import { median } from '../report.mjs';

/** @import { Row } from './chapter.mjs' */

/**
 * The median of every figure of each variant, and, for the figures that are named, the median of its ratios to the first
 * variant of the same round.
 * @param {string[]} labels
 * @param {Record<string, number>[][]} rounds the figures of all variants, in each round
 * @param {string[]} compared
 * @returns {Row[]}
 */
export function mediansOf(labels, rounds, compared) {
  return labels.map((label, variant) => {
    const names = Object.keys(rounds[0]?.[variant] ?? {});
    /** @param {(round: Record<string, number>[]) => number} of */
    const over = (of) => median(rounds.map(of));
    const figures = names.map((name) => [name, over((round) => round[variant]?.[name] ?? Number.NaN)]);
    const ratios = compared.map((name) => [
      `${name}Ratio`,
      over((round) => (round[variant]?.[name] ?? Number.NaN) / (round[0]?.[name] ?? Number.NaN)),
    ]);
    return { label, figures: Object.fromEntries([...figures, ...ratios]) };
  });
}

/**
 * The figures of all variants in each round; every second round goes the other way around.
 * @template Variant
 * @param {number} rounds
 * @param {Variant[]} variants
 * @param {(variant: Variant) => Promise<Record<string, number>>} measure
 */
export async function inTurn(rounds, variants, measure) {
  const all = [];
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? variants : variants.toReversed();
    const figures = [];
    for (const variant of order) figures.push(await measure(variant));
    all.push(round % 2 === 0 ? figures : figures.toReversed());
  }
  return all;
}
