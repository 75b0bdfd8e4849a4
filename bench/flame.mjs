/**
 * Where the gateway's time goes: profiles Conch under the paced and the full load of 256 streams, and writes flame graphs to docs/benchmarks/ and
 * what they show into docs/benchmarks.md, which a run with other seconds or another folder leaves as it is.
 *
 *   node bench/flame.mjs [--seconds 8] [--out FOLDER]
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from '../scripts/lib/build.mjs';
import { install } from '../scripts/lib/install.mjs';
import { conch } from './contenders.mjs';
import { thisMachine } from './machine.mjs';
import { markdownTable } from './markdown.mjs';
import { runLoad } from './processes.mjs';
import { flameGraph } from './profile/flame-graph.mjs';
import { frameTree, sharesByGroup } from './profile/profile.mjs';
import { saveResult } from './results.mjs';
import { withFresh } from './session.mjs';
import { warmUp } from './warm-up.mjs';

const LEAST_SHARE = 0.005;
/** Every thread leaves a profile; its number is before the last one. */
const MAIN_THREAD = /\.0\.\d+\.cpuprofile$/;
const LOADS = /** @type {const} */ ([
  { name: 'paced-256', title: '256 streams, 10 ms between tokens', interval: 10 },
  { name: 'full-256', title: '256 streams at full speed', interval: 0 },
]);

const SECONDS = '8';
const FOLDER = fileURLToPath(new URL('../docs/benchmarks', import.meta.url));

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: SECONDS }, out: { type: 'string', default: FOLDER } },
});

/**
 * The frames of Conch under a load, without its start and its warm-up.
 * @param {number} interval
 */
async function profiled(interval) {
  const folder = mkdtempSync(path.join(tmpdir(), 'conch-bench-profile-'));
  try {
    const contender = { ...conch, nodeFlags: ['--cpu-prof', `--cpu-prof-dir=${folder}`] };
    const span = await withFresh([contender], 0, async ({ gateways: [gateway], changeInterval }) => {
      if (gateway === undefined) throw new Error('Conch was not started');
      const startedAt = performance.now() - (gateway.readyMilliseconds ?? 0);
      const load = { streams: 256, tokens: 128, seconds: Number(values.seconds), 'warmup-seconds': 1 };
      await warmUp([gateway], { ...load, cpuSeconds: 4, mostSeconds: 15 });
      changeInterval(interval);
      const from = (performance.now() - startedAt) * 1000;
      await runLoad(gateway.url, load, gateway.watched);
      return { from, to: (performance.now() - startedAt) * 1000 };
    });
    const file = readdirSync(folder).find((name) => MAIN_THREAD.test(name)) ?? '';
    return frameTree(JSON.parse(readFileSync(path.join(folder, file), 'utf8')), span);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const machine = thisMachine();
await install();
await build();
mkdirSync(values.out, { recursive: true });
/** @type {Map<string, Map<string, number>>} */
const shares = new Map();
for (const { name, title, interval } of LOADS) {
  const root = await profiled(interval);
  writeFileSync(path.join(values.out, `flame-${name}.svg`), flameGraph(root, `Conch, ${title}`));
  shares.set(name, new Map(sharesByGroup(root).map(({ group, share }) => [group, share])));
}
const groups = [...new Set([...shares.values()].flatMap((found) => [...found.keys()]))].filter((group) =>
  [...shares.values()].some((found) => (found.get(group) ?? 0) >= LEAST_SHARE),
);
const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(1)} %`;
const table = markdownTable([
  ['', ...LOADS.map(({ title }) => title)],
  ...groups.map((group) => [group, ...LOADS.map(({ name }) => percent(shares.get(name)?.get(group) ?? 0))]),
]);
process.stdout.write(`${table}\n`);
if (values.seconds === SECONDS && values.out === FOLDER) {
  const command = 'node bench/flame.mjs';
  const claims = LOADS.map(({ name, title }) => {
    const largest = [...(shares.get(name) ?? [])].slice(0, 4).map(([group, share]) => `${group} ${percent(share)}`);
    return {
      title: `Where the time goes: ${title}`,
      text: `Of the time in which the main thread was busy: ${largest.join(', ')}.`,
      command,
      load: 'callers are below; open the graph by itself to see the share of each frame.',
      image: { file: `flame-${name}.svg`, alt: `Flame graph: ${title}` },
    };
  });
  await saveResult('flame', { machine, command, claims });
}
