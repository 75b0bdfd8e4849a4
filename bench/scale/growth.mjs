/** How a figure grows, in numbers and in a sentence that follows from them. */

/** What two runs of the same load may differ by on a shared machine, as a factor: less than this is no difference. */
export const NOISE = 1.25;

/** @typedef {readonly [number, number]} Point */

/** @param {number} value */
export function display(value) {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: 0, maximumFractionDigits: digits });
}

/**
 * The power of x that y follows between the first and the last point, by the least squares of their logarithms: 0 where it is
 * flat, 1 in proportion.
 * @param {readonly Point[]} points
 */
export function exponent(points) {
  return slope(points.map(([x, y]) => [Math.log(x), Math.log(y)]));
}

/**
 * What each further x adds to y, by least squares.
 * @param {readonly Point[]} points
 */
export function slope(points) {
  const mean = (/** @type {number[]} */ numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const middleX = mean(points.map(([x]) => x));
  const middleY = mean(points.map(([, y]) => y));
  const above = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0);
  const below = points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
  return above / below;
}

/**
 * The words for a change by a factor.
 * @param {number} factor
 */
export function changeWords(factor) {
  if (factor <= NOISE && factor >= 1 / NOISE) return `stays the same within the noise (${signedPercent(factor)})`;
  if (factor < 1) return `falls by ${display((1 - factor) * 100)} %`;
  return factor < 2 ? `grows by ${display((factor - 1) * 100)} %` : `grows ${display(factor)} times`;
}

/** @param {number} factor */
export function signedPercent(factor) {
  const percent = Math.round((factor - 1) * 100);
  return percent === 0 ? '±0 %' : `${percent > 0 ? '+' : '−'}${Math.abs(percent)} %`;
}

/** @param {readonly Point[]} points */
function paceWords(points) {
  const power = exponent(points);
  if (power > 1.1) return ', faster than in proportion';
  return power >= 0.9 ? ', in proportion' : ', slower than in proportion';
}

/**
 * One sentence on how a figure changes from the first point to the last, and where it leaves the range between them.
 * @param {{ what: string, unit: string, by: string, points: readonly Point[] }} curve
 */
export function growthSentence({ what, unit, by, points }) {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < 2) throw new Error(`${what}: one point is no curve`);
  const factor = last[1] / first[1];
  const pace = factor >= 2 && last[0] / first[0] >= 4 ? paceWords(points) : '';
  const figures = `from ${display(first[1])} ${unit} at ${counted(first[0], by)} to ${display(last[1])} at ${display(last[0])}`;
  return `${what} ${changeWords(factor)}${pace}, ${figures}${extremeWords(points, unit)}.`;
}

/**
 * @param {number} count
 * @param {string} things in the plural, which ends with an s
 */
export function counted(count, things) {
  return `${display(count)} ${count === 1 ? things.slice(0, -1) : things}`;
}

/**
 * A point between the ends that lies outside of what they span by more than the noise.
 * @param {readonly Point[]} points
 * @param {string} unit
 */
function extremeWords(points, unit) {
  const ends = [points[0]?.[1] ?? 0, points.at(-1)?.[1] ?? 0];
  const highest = points.reduce((one, other) => (other[1] > one[1] ? other : one));
  const lowest = points.reduce((one, other) => (other[1] < one[1] ? other : one));
  /** @param {Point} point */
  const at = ([x, y]) => `${display(y)} ${unit} at ${display(x)}`;
  const found = [];
  if (highest[1] > Math.max(...ends) * NOISE) found.push(`at most ${at(highest)}`);
  if (lowest[1] < Math.min(...ends) / NOISE) found.push(`at least ${at(lowest)}`);
  return found.length > 0 ? `; between them ${found.join(' and ')}` : '';
}
