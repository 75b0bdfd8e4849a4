/** Counts of two lengths of responses, and their table. */
import { markdownTable } from '../markdown.mjs';

/** @typedef {Record<string, number>} Counted by what was counted */

/** @type {readonly (readonly [name: string, title: string, digits: number])[]} */
const ROWS = [
  ['bytes', 'bytes allocated', 0],
  ['objects', 'objects allocated', 1],
  ['promises', 'promises and awaits', 2],
  ['microtasks', 'microtasks', 2],
  ['ticks', 'process.nextTick', 2],
  ['immediates', 'setImmediate', 2],
  ['timers', 'timers', 2],
  ['writes', 'calls of write', 2],
  ['reads', 'calls of read', 2],
];

/**
 * What each further token of a response takes.
 * @param {Counted} long
 * @param {Counted} short
 * @param {number} tokens by which the long one is longer
 * @returns {Counted}
 */
export function perToken(long, short, tokens) {
  return Object.fromEntries(
    Object.entries(long).map(([name, count]) => [name, (count - (short[name] ?? Number.NaN)) / tokens]),
  );
}

/** @param {{ name: string, counts: Record<string, Counted> }[]} programs */
export function countTable(programs) {
  const units = Object.keys(programs[0]?.counts ?? {});
  const heading = units.flatMap((unit) => programs.map(({ name }) => `${unit}: ${name}`));
  const cell = (/** @type {number | undefined} */ count, /** @type {number} */ digits) => count?.toFixed(digits) ?? '';
  const rows = ROWS.map(([name, title, digits]) => [
    title,
    ...units.flatMap((unit) => programs.map(({ counts }) => cell(counts[unit]?.[name], digits))),
  ]);
  return markdownTable([['per', ...heading], ...rows]);
}
