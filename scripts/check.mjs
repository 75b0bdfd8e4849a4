// Checks everything that needs no test: format, imports, lint, types, unused code, pages. One line per problem.
import { availableParallelism } from 'node:os';
import { install } from './lib/install.mjs';
import { checkNode, main, say } from './lib/steps.mjs';

main(async () => {
  checkNode();
  await install();
  // These import packages, which a bare clone has only now.
  const { checks } = await import('./lib/checks.mjs');
  const waiting = [...checks];
  let count = 0;
  const work = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) count += await outcomeOf(check);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return count === 0 ? 0 : 1;
});

/**
 * Runs a check, prints what it found and gives the number of problems.
 * @param {import('./lib/checks.mjs').Check} check
 */
async function outcomeOf({ name, problems }) {
  const start = performance.now();
  const found = await problems();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  say(`${found.length === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  for (const line of found) say(`  ${line}`);
  return found.length;
}
