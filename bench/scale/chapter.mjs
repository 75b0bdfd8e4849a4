/** What the parts of this benchmark have in common: each measures the points of a curve and tells what they say. */

/**
 * @typedef {{ label: string, figures: Record<string, number> }} Row one point: its name in the table, and what was measured
 * @typedef {{ machine: import('../machine.mjs').Machine, rows: Row[] }} Measured with the machine as it was before the run
 * @typedef {{ heading: string, of: (figures: Record<string, number>) => number | undefined, unit?: string }} Column
 * @typedef {{ title: string, x: { label: string, scale: 'linear' | 'log' }, y: { label: string, scale: 'linear' | 'log' }, kind: 'line' | 'bars', series: { name: string, points: [number, number][] }[] }} Chart
 */

/**
 * @typedef {object} Chapter
 * @property {string} name as --only has it
 * @property {string} title
 * @property {string} first the heading of the first column
 * @property {Column[]} columns
 * @property {(say: (line: string) => void) => Promise<Row[]>} measure
 * @property {(rows: Row[]) => string} load how it was measured
 * @property {(rows: Row[]) => string[]} sentences what follows from the figures
 * @property {(rows: Row[]) => Record<string, Chart>} charts by the name of their file
 */

/**
 * A figure of a row; one that is missing fails the run.
 * @param {Row | undefined} row
 * @param {string} name
 */
export function figure(row, name) {
  const value = row?.figures[name];
  if (value === undefined || !Number.isFinite(value)) throw new Error(`${row?.label}: ${name} was not measured`);
  return value;
}

/**
 * The points of a figure over another.
 * @param {Row[]} rows
 * @param {string} x
 * @param {string} y
 * @returns {[number, number][]}
 */
export function pointsOf(rows, x, y) {
  return rows.map((row) => [figure(row, x), figure(row, y)]);
}

/** @type {Column} */
export const PER_TOKEN = { heading: 'µs/token', of: ({ microsecondsPerToken }) => microsecondsPerToken };
/** @type {Column} */
export const PER_REQUEST = { heading: 'µs/request', of: ({ microsecondsPerRequest }) => microsecondsPerRequest };
/** @type {Column} */
export const RESIDENT = { heading: 'RSS', of: ({ residentMegabytes }) => residentMegabytes, unit: ' MB' };
/** @type {Column} */
export const RATE = { heading: 'tokens/s', of: ({ tokensPerSecond }) => tokensPerSecond };
