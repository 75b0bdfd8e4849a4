/**
 * Measures what Conch costs before it has done anything: its start against a Triton elsewhere, its memory with nothing to do and at 1,000
 * streams, and what an installation takes on the disk. Prints the table, and writes it into docs/benchmarks.md.
 *
 *   npm run bench:footprint [-- --starts 10] [--no-install]
 */
import { parseArgs } from 'node:util';
import { memoryMegabytes } from './cpu.mjs';
import { writeSection } from './docs-section.mjs';
import { installedSizes } from './footprint/installed.mjs';
import { bareStart, measuredStart } from './footprint/start.mjs';
import { runLoad, startGateway, startTokenServer } from './processes.mjs';

const STREAMS = 1000;
const IDLE_MILLISECONDS = 3000;
const CONCH = new URL('../dist/main.js', import.meta.url).pathname;

const { values } = parseArgs({
  options: {
    starts: { type: 'string', default: '10' },
    'no-install': { type: 'boolean', default: false },
  },
});

/** @param {number[]} numbers */
function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function starts() {
  const model = await startTokenServer(10);
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
  const idle = memoryMegabytes(conch.pid).resident;
  await runLoad(conch.url, { streams: STREAMS, tokens: 128, seconds: 10, 'warmup-seconds': 5 }, { conch: conch.pid });
  const { peak } = memoryMegabytes(conch.pid);
  await conch.stop();
  await model.stop();
  return { idle, peak };
}

const start = await starts();
const { idle, peak } = await memory();
const installed = values['no-install'] ? undefined : await installedSizes();

/**
 * @param {string} what
 * @param {number} reached
 * @param {number} goal
 * @param {string} unit
 */
function row(what, reached, goal, unit) {
  return `| ${what} | ${reached.toFixed(0)} ${unit} | under ${goal} ${unit} | ${reached < goal ? 'met' : 'missed'} |`;
}

const lines = [
  `Node ${process.version}, median of ${values.starts} starts of \`conch --triton\` in fresh processes, by turns with a Node that does nothing.`,
  '',
  '| what | reached | goal | |',
  '|---|---|---|---|',
  row('from the first instruction until it listens and knows its models', start.wall, 300, 'ms'),
  row('the same, the fastest start', start.fastest, 300, 'ms'),
  row('memory with nothing to do (RSS)', idle, 120, 'MB'),
  row(`memory at ${STREAMS.toLocaleString('en')} streams, at its highest (RSS)`, peak, 200, 'MB'),
  ...(installed ? [row('installed, without the embedded engine', installed.total, 140, 'MB')] : []),
  '',
  `CPU time until then: ${start.cpu.toFixed(0)} ms, of which a Node that does nothing takes ${start.bareCpu.toFixed(0)} ms on the same machine at the same time.`,
];
if (installed) {
  lines.push('', '| package | MB |', '|---|---|');
  for (const [name, size] of installed.packages) lines.push(`| ${name} | ${size.toFixed(1)} |`);
}
const text = lines.join('\n');
process.stdout.write(`${text}\n`);
if (installed) writeSection('footprint', text);
