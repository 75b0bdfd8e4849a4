// Checks everything that needs no test: format, imports, lint, types, unused code, pages, voice. One line per problem.
// `npm run check -- voice` runs only the checks whose names begin with a given word.
import { availableParallelism } from 'node:os';
import { install } from './lib/install.mjs';
import { runChecks } from './lib/run-checks.mjs';
import { checkNode, main, StepError, say } from './lib/steps.mjs';

main(async () => {
  checkNode();
  await install();
  // These import packages, which a bare clone has only now.
  const { checks } = await import('./lib/checks.mjs');
  const names = process.argv.slice(2);
  const selected = checks.filter(({ name }) => names.length === 0 || names.some((start) => name.startsWith(start)));
  if (selected.length === 0) throw new StepError(`No check is called ${names.join(' or ')}.`);
  const count = await runChecks(selected, { atOnce: availableParallelism(), say });
  return count === 0 ? 0 : 1;
});
