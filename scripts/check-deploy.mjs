import { build } from './lib/build.mjs';
import { deployChecks } from './lib/deploy-checks.mjs';
import { install } from './lib/install.mjs';
import { checkNode, main, StepError, say } from './lib/steps.mjs';

// Checks deploy/ as far as tools go. What cannot be run here is left out by name; with CI set that is a failure too.
main(async () => {
  checkNode();
  await install();
  await build();
  const counts = { passed: 0, failed: 0, 'left out': 0 };
  for (const check of deployChecks) {
    const { outcome, reason } = await outcomeOf(check);
    counts[outcome] += 1;
    say(`${outcome.padEnd(8)}  ${check.what}${reason === '' ? '' : `\n${reason.replace(/^/gm, '          ')}`}`);
  }
  say(`\n${counts.passed} passed, ${counts.failed} failed, ${counts['left out']} left out`);
  return counts.failed > 0 || (process.env['CI'] && counts['left out'] > 0) ? 1 : 0;
});

/**
 * @param {import('./lib/deploy-checks.mjs').Check} check
 * @returns {Promise<{ outcome: 'passed' | 'failed' | 'left out', reason: string }>}
 */
async function outcomeOf({ prepare, run }) {
  let tool;
  try {
    tool = await prepare();
  } catch (error) {
    return { outcome: 'left out', reason: reasonOf(error) };
  }
  try {
    await run(tool);
    return { outcome: 'passed', reason: '' };
  } catch (error) {
    return { outcome: 'failed', reason: reasonOf(error) };
  }
}

/** @param {unknown} error */
function reasonOf(error) {
  if (error instanceof StepError) return error.message.trim();
  throw error;
}
