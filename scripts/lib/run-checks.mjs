/** @import { Check } from './checks.mjs' */

/**
 * Runs checks, some at a time, prints what each found and gives the number of all problems.
 * @param {readonly Check[]} checks
 * @param {{ atOnce: number, say: (line: string) => void }} options
 */
export async function runChecks(checks, { atOnce, say }) {
  const waiting = [...checks];
  /** @type {number[]} */
  const counts = [];
  const work = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) counts.push(await outcomeOf(check, say));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * @param {Check} check
 * @param {(line: string) => void} say
 */
async function outcomeOf({ name, problems }, say) {
  const start = performance.now();
  const found = await problems();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  say(`${found.length === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  for (const line of found) say(`  ${line}`);
  return found.length;
}
