import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { inRoot, npm, run, StepError, say } from './steps.mjs';

const MARKER = 'node_modules/.conch-lock';

/** Installs the dependencies of package-lock.json, unless they are there. */
export async function install() {
  const expected = createHash('sha256')
    .update(readFileSync(inRoot('package-lock.json')))
    .digest('hex');
  if (existsSync(inRoot(MARKER)) && readFileSync(inRoot(MARKER), 'utf8') === expected) return;
  if (!installedByHand()) {
    say('Installing dependencies (npm ci) …');
    const [program, options] = npm();
    const code = await run(program, [...options, 'ci', '--include=dev', '--no-fund', '--no-audit'], {
      cwd: inRoot('.'),
    });
    if (code !== 0) {
      throw new StepError(
        'npm ci failed. Check the network and the npm registry settings, then run the command again.',
      );
    }
  }
  writeFileSync(inRoot(MARKER), expected);
}

/** `npm install` by hand leaves a lock file of its own, newer than ours. */
function installedByHand() {
  const own = inRoot('node_modules/.package-lock.json');
  return existsSync(own) && statSync(own).mtimeMs >= statSync(inRoot('package-lock.json')).mtimeMs;
}

/** Lets `npx conch` in the checkout run the built command, as an installed package would. */
export function linkCommand() {
  const link = inRoot('node_modules/.bin/conch');
  const target = '../../dist/main.js';
  chmodSync(inRoot('dist/main.js'), 0o755);
  if (isLinkTo(link, target)) return;
  rmSync(link, { force: true });
  mkdirSync(inRoot('node_modules/.bin'), { recursive: true });
  symlinkSync(target, link);
}

/**
 * @param {string} link
 * @param {string} target
 */
function isLinkTo(link, target) {
  try {
    return readlinkSync(link) === target;
  } catch {
    return false;
  }
}
