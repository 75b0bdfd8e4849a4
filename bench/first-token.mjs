/**
 * Measures how long a newcomer waits: from `npm start` in a fresh clone to the first token of an answer of the model that comes with it, with nothing in
 * any cache, and then again with all that is there by then. Writes what it found into docs/benchmarks.md.
 *
 *   npm run bench:first-token
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot } from '../scripts/lib/steps.mjs';
import { thisMachine } from './machine.mjs';
import { freePort } from './processes.mjs';
import { median } from './report.mjs';
import { saveResult } from './results.mjs';

const FILLED_STARTS = 3;
const LONGEST_MILLISECONDS = 600_000;
const BODY = JSON.stringify({
  model: 'smollm2-135m-instruct',
  messages: [{ role: 'user', content: 'What is a conch?' }],
  max_tokens: 8,
  stream: true,
});

const machine = thisMachine();
const folder = mkdtempSync(join(tmpdir(), 'conch-first-token-'));
const clone = join(folder, 'clone');
/** Nothing of what this machine has already: neither Conch's files nor those of npm and pip. */
const environment = { ...process.env, XDG_CACHE_HOME: join(folder, 'cache'), npm_config_cache: join(folder, 'npm') };

/** Seconds from `npm start` to the first token. */
async function measuredStart() {
  const port = await freePort();
  const started = performance.now();
  const child = spawn('npm', ['start', '--', '--port', String(port)], {
    cwd: clone,
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  const ended = once(child, 'exit');
  try {
    while (!(await responds(port))) {
      if (child.exitCode !== null) throw new Error('npm start has ended without an answer.');
      if (performance.now() - started > LONGEST_MILLISECONDS) throw new Error('There was no response in ten minutes.');
      await sleep(20);
    }
    return (performance.now() - started) / 1000;
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await ended;
  }
}

/**
 * Whether an answer begins; none does while Conch is on its way.
 * @param {number} port
 */
async function responds(port) {
  try {
    const headers = { 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${port}/v1/chat/completions`;
    const response = await fetch(url, { method: 'POST', headers, body: BODY });
    const decoder = new TextDecoder();
    let text = '';
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      if (/"content":"[^"]/.test(text)) return true;
    }
  } catch {
    // Nobody listens yet.
  }
  return false;
}

try {
  execFileSync('git', ['clone', '--quiet', inRoot('.'), clone]);
  const empty = await measuredStart();
  const filled = [];
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (let round = 0; round < FILLED_STARTS; round++) filled.push(await measuredStart());
  const seconds = { empty: Number(empty.toFixed(1)), filled: Number(median(filled).toFixed(1)) };
  const title = 'From npm start to the first token';
  const command = 'npm run bench:first-token';
  const claim = {
    title: `The first token comes ${seconds.filled} s after npm start`,
    text: `That is with filled caches: Conch starts and loads the model. In a fresh clone on an empty machine it takes ${seconds.empty} s: npm fetches packages, Conch is built, pip and npm fetch the model (98 MB) and the engine.`,
    command,
    load: `one start with empty caches, the median of ${FILLED_STARTS} with filled ones.`,
    image: { file: 'first-token.svg', alt: title },
  };
  process.stdout.write(`${claim.title}. ${claim.text}\n`);
  await saveResult(
    'first-token',
    { machine, command, seconds, claims: [claim] },
    {
      'first-token': {
        title,
        x: { label: 'caches', scale: 'linear', names: Object.keys(seconds) },
        y: { label: 'seconds', scale: 'linear' },
        kind: 'bars',
        series: [{ name: title, points: Object.values(seconds).map((value, index) => [index, value]) }],
      },
    },
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
