import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { build } from './lib/build.mjs';
import { install } from './lib/install.mjs';
import { checkNode, inRoot, main } from './lib/steps.mjs';

main(async () => {
  checkNode();
  await install();
  await build();
  return conch(process.argv.slice(2));
});

/**
 * Runs the built command in our place: same terminal, same signals, same exit code.
 * @param {string[]} flags
 * @returns {Promise<number>}
 */
function conch(flags) {
  const child = spawn(process.execPath, [inRoot('dist/main.js'), ...flags], { stdio: 'inherit' });
  // Ctrl-C reaches the whole group of the terminal, the child too: a second one would cut its running requests.
  process.on('SIGINT', () => undefined);
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) process.on(signal, () => child.kill(signal));
  // npm does not pass a signal on to what it runs: when it is gone, so is whoever wanted this.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) child.kill('SIGTERM');
  }, 500).unref();
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
