// Checks everything that needs no test: format, imports, lint, types, unused code, pages. One line per problem.
import { availableParallelism } from 'node:os';
import { install } from './lib/install.mjs';
import { runChecks } from './lib/run-checks.mjs';
import { checkNode, main, say } from './lib/steps.mjs';

main(async () => {
  checkNode();
  await install();
  // These import packages, which a bare clone has only now.
  const { checks } = await import('./lib/checks.mjs');
  const count = await runChecks(checks, { atOnce: availableParallelism(), say });
  return count === 0 ? 0 : 1;
});
