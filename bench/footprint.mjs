/**
 * Measures what Conch costs before it has done anything: its start against a Triton elsewhere, its memory with nothing to do and at 1,000
 * streams, and what an installation takes on the disk. Prints the table, and without flags writes it into docs/benchmarks.md.
 *
 *   npm run bench:footprint [-- --starts 10] [--no-install]
 */
import { parseArgs } from 'node:util';
import { build } from '../scripts/lib/build.mjs';
import { install } from '../scripts/lib/install.mjs';
import { installedSizes } from './footprint/installed.mjs';
import { bareStart, measuredStart } from './footprint/start.mjs';
import { machineWords, thisMachine } from './machine.mjs';
import { markdownTable } from './markdown.mjs';
import { runLoad, startGateway, startTokenServer, usageOf } from './processes.mjs';
import { median } from './report.mjs';
import { saveResult } from './results.mjs';

const STARTS = '10';
const STREAMS = 1000;
const IDLE_MILLISECONDS = 3000;
/** The highest of one run differs by a tenth from that of the next. */
const MEMORY_ROUNDS = 3;
const CONCH = new URL('../dist/main.js', import.meta.url).pathname;

const { values } = parseArgs({
  options: {
    starts: { type: 'string', default: STARTS },
    'no-install': { type: 'boolean', default: false },
  },
});

async function starts() {
  const model = await startTokenServer(10);
  // Fills the caches, of files and of compiled code, for those that count.
  await measuredStart(CONCH, model.port);
  const measured = [];
  const bare = [];
  for (let round = 0; round < Number(values.starts); round++) {
    // oxlint-disable no-await-in-loop -- one after the other, and both by turns
    measured.push(await measuredStart(CONCH, model.port));
    bare.push(await bareStart());
    // oxlint-enable no-await-in-loop
  }
  await model.stop();
  return {
    wall: median(measured.map(({ wall }) => wall)),
    fastest: Math.min(...measured.map(({ wall }) => wall)),
    cpu: median(measured.map(({ cpu }) => cpu)),
    bareCpu: median(bare),
  };
}

/** At 30 ms a token: 1,000 streams at a faster pace would be more than one core can send. */
async function memory() {
  const model = await startTokenServer(30);
  const conch = await startGateway({ name: 'conch', script: CONCH }, model.port);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MILLISECONDS));
  const { residentMegabytes: idle } = await usageOf(conch.pid);
  await runLoad(conch.url, { streams: STREAMS, tokens: 128, seconds: 10, 'warmup-seconds': 5 }, { conch: conch.pid });
  const { peakMegabytes: peak } = await usageOf(conch.pid);
  await conch.stop();
  await model.stop();
  return { idle, peak };
}

/**
 * @param {string} what
 * @param {number} reached
 * @param {number} goal
 * @param {string} unit
 */
function row(what, reached, goal, unit) {
  const displayed = `${reached.toFixed(0)} ${unit}`;
  return [what, displayed, `under ${goal} ${unit}`, reached < goal ? 'met' : '**missed**'];
}

const machine = thisMachine();
await install();
await build();
const start = await starts();
const memories = [];
// oxlint-disable-next-line no-await-in-loop -- one after the other: each wants the whole machine
for (let round = 0; round < MEMORY_ROUNDS; round++) memories.push(await memory());
const idle = median(memories.map((each) => each.idle));
const peak = median(memories.map((each) => each.peak));
const installed = values['no-install'] ? undefined : await installedSizes();
const table = markdownTable([
  ['what', 'reached', 'goal', ''],
  row('from the first instruction until it listens and knows its models', start.wall, 300, 'ms'),
  row('the same, the fastest start', start.fastest, 300, 'ms'),
  row('memory with nothing to do (RSS)', idle, 120, 'MB'),
  row(
    `memory at ${STREAMS.toLocaleString('en')} streams, at its highest (RSS), median of ${MEMORY_ROUNDS} runs`,
    peak,
    200,
    'MB',
  ),
  ...(installed ? [row('installed, without the embedded engine', installed.total, 140, 'MB')] : []),
]);
const packages = installed?.packages.map(([name, size]) => [name, size.toFixed(1)]);
const text = [
  `\`npm run bench:footprint\`. ${machineWords(machine)}`,
  `Median of ${values.starts} starts of \`conch --triton\` in fresh processes, by turns with a Node that does nothing, after one that does not count; with the compiled code of the build.`,
  table,
  `CPU time until then: ${start.cpu.toFixed(0)} ms, of which a Node that does nothing takes ${start.bareCpu.toFixed(0)} ms on the same machine at the same time.`,
  ...(packages ? [markdownTable([['package', 'MB'], ...packages])] : []),
].join('\n\n');
process.stdout.write(`${text}\n`);
if (installed && values.starts === STARTS) {
  const command = 'npm run bench:footprint';
  const title = 'Installed packages';
  const largest = installed.packages.slice(0, 5);
  const claim = {
    title: `An installation takes ${installed.total.toFixed(0)} MB, and a start ${start.wall.toFixed(0)} ms`,
    text: `From the first instruction until Conch listens and knows its models it takes ${start.wall.toFixed(0)} ms (${start.fastest.toFixed(0)} ms at best) and ${start.cpu.toFixed(0)} ms of CPU time; a Node that does nothing takes ${start.bareCpu.toFixed(0)} ms. It holds ${idle.toFixed(0)} MB idle and ${peak.toFixed(0)} MB at ${STREAMS.toLocaleString('en')} streams. The embedded engine is fetched on first use.`,
    command,
    load: `medians of ${values.starts} starts with the compiled code of the build, and of ${MEMORY_ROUNDS} runs for memory.`,
    image: { file: 'footprint.svg', alt: title },
  };
  const names = largest.map(([name]) => name);
  const figures = { start, idle, peak, installed: installed.total, packages: installed.packages };
  await saveResult(
    'footprint',
    { machine, command, figures, claims: [claim] },
    {
      footprint: {
        title,
        x: { label: '', scale: 'linear', names },
        y: { label: 'MB', scale: 'linear' },
        kind: 'bars',
        series: [{ name: title, points: largest.map(([, size], index) => [index, Number(size.toFixed(1))]) }],
      },
    },
  );
}
