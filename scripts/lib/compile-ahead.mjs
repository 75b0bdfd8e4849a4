import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inRoot, say } from './steps.mjs';

const LONGEST_MILLISECONDS = 60_000;
/** As src/loader/compiled-code.ts names it. */
const MACHINE = `node-${process.version}-${process.platform}-${process.arch}`;

/**
 * Runs the built program in front of a stand-in for Triton, with a request of each kind, and puts what V8 has compiled by
 * then into dist/compiled: starts of the same Node need not compile that again. A build that cannot do this is a build too.
 */
export async function compileAhead() {
  say('Compiling ahead (dist/compiled) …');
  const cache = mkdtempSync(join(tmpdir(), 'conch-compiled-'));
  try {
    await runOnce(cache, AbortSignal.timeout(LONGEST_MILLISECONDS));
    const compiled = join(cache, 'conch', 'compiled');
    const folder = readdirSync(compiled).find((name) => name.startsWith(MACHINE)) ?? '';
    const shipped = inRoot(`dist/compiled/${MACHINE}`);
    mkdirSync(shipped, { recursive: true });
    // Not by copying the files: only their owner may read these.
    for (const file of readdirSync(join(compiled, folder)))
      writeFileSync(join(shipped, file), readFileSync(join(compiled, folder, file)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    say(`Nothing was compiled ahead: ${reason}. Starts of Conch take longer.`);
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

/**
 * @param {string} cache
 * @param {AbortSignal} signal
 */
async function runOnce(cache, signal) {
  const triton = start(['bench/token-server.mjs', '--interval-ms', '1'], process.env, signal);
  try {
    const { port } = JSON.parse(await lineWith(triton, '"port"'));
    const locations = ['--triton', `127.0.0.1:${port}`, '--host', '127.0.0.1', '--port', '0', '--store', 'none'];
    const flags = [...locations, '--log-format', 'json', '--chat-template', inRoot('bench/chat-template.jinja')];
    // Settings and flags of whoever builds are not those of whoever runs it.
    const environment = { PATH: process.env['PATH'], HOME: cache, XDG_CACHE_HOME: cache };
    const conch = start(['dist/main.js', ...flags], environment, signal);
    const listens = lineWith(conch, ' listens on ');
    await lineWith(conch, '"state":"READY"');
    const [origin = ''] = /http:\/\/[^"\s]+/.exec(await listens) ?? [];
    for (const stream of [true, false]) await chat(origin, stream, signal);
    conch.kill('SIGTERM');
    await once(conch, 'exit', { signal });
  } finally {
    triton.kill();
  }
}

/**
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} environment
 * @param {AbortSignal} signal
 */
function start([script = '', ...flags], environment, signal) {
  const child = spawn(process.execPath, [inRoot(script), ...flags], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: environment,
    signal,
    killSignal: 'SIGKILL',
  });
  child.on('error', () => undefined);
  return child;
}

/**
 * @param {ReturnType<typeof start>} child
 * @param {string} text
 * @returns {Promise<string>}
 */
function lineWith(child, text) {
  return new Promise((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line.includes(text)) resolve(line);
    });
    child.once('exit', (code) => reject(new Error(`a process ended with code ${code}`)));
  });
}

/**
 * @param {string} origin
 * @param {boolean} stream
 * @param {AbortSignal} signal
 */
async function chat(origin, stream, signal) {
  const body = { model: 'bench', messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 8, stream };
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`a request failed: ${text}`);
}
