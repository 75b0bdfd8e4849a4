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
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal));
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
