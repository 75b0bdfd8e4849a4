import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MINIMUM_NODE = [20, 19];

/** A step that failed, with what to do about it: shown without a stack trace. */
export class StepError extends Error {}

/**
 * A path inside the checkout.
 * @param {string} path
 */
export function inRoot(path) {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

/**
 * Says in one line what is being done.
 * @param {string} line
 */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Runs a script's body and ends the process with its exit code.
 * @param {() => Promise<number>} body
 */
export function main(body) {
  body().then(
    (code) => process.exit(code),
    (error) => {
      say(error instanceof StepError ? `\n${error.message}` : `\nUnexpected: ${error?.stack ?? error}`);
      process.exit(1);
    },
  );
}

/** Stops with a clear message on a Node that is too old. */
export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [expectedMajor = 0, expectedMinor = 0] = MINIMUM_NODE;
  if (major > expectedMajor || (major === expectedMajor && minor >= expectedMinor)) return;
  throw new StepError(
    `Conch needs Node ${MINIMUM_NODE.join('.')} or newer; this is ${process.versions.node}. Install a newer one from https://nodejs.org.`,
  );
}

/**
 * Runs a program with our own terminal and gives its exit code.
 * @param {string} program
 * @param {string[]} options
 * @param {{ cwd?: string, environment?: Record<string, string> }} [settings]
 * @returns {Promise<number>}
 */
export function run(program, options, { cwd, environment } = {}) {
  const child = spawn(program, options, { cwd, stdio: 'inherit', env: { ...process.env, ...environment } });
  return new Promise((resolve, reject) => {
    child.on('error', () => reject(new StepError(`Could not start ${program}: is it installed and on PATH?`)));
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * Runs a program quietly and gives what it printed; its last lines are in the error when it fails.
 * @param {string} program
 * @param {string[]} options
 * @param {{ what: string, advice?: string, cwd?: string, environment?: Record<string, string>, onLine?: (line: string) => void }} settings
 * @returns {Promise<string>}
 */
export function capture(program, options, { what, advice = '', cwd, environment, onLine }) {
  const child = spawn(program, options, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let output = '';
  let errors = '';
  let line = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    const lines = (line + text).split('\n');
    line = lines.pop() ?? '';
    for (const whole of lines) onLine?.(whole);
  });
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new StepError(`${what} failed: ${error.message}\n${advice}`)));
    child.on('close', (code) => {
      if (code === 0) return resolve(output);
      const tail = `${output}\n${errors}`.trim().split('\n').slice(-12).join('\n');
      reject(new StepError(`${what} failed (exit code ${code}):\n${tail}\n${advice}`));
    });
  });
}

/**
 * The npm that started us, else the one on PATH.
 * @returns {[string, string[]]}
 */
export function npm() {
  const own = process.env['npm_execpath'];
  return own?.endsWith('.js') ? [process.execPath, [own]] : ['npm', []];
}
