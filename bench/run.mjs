/**
 * What a token costs: CPU time of the gateway process, against the scripted token server, each contender with fresh processes.
 *
 *   npm run bench -- [--quick] [--triton] [--rounds 3] [--seconds 2.5] [--streams 1,32,256] [--tokens 128] [--interval-ms 10] [--warmup-seconds 4]
 *                    [--only paced|full|requests|single] [--gateway NAME=SCRIPT]... [--json] [--write]
 *
 * A gateway is a script that takes conch's flags --triton, --host, --port and --chat-template. Progress goes to stderr, the table (or, with --json,
 * one line) to stdout. A whole run also writes bench/results/ and docs/benchmarks.md; another one does so with --write.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../scripts/lib/build.mjs';
import { install } from '../scripts/lib/install.mjs';
import { allContenders, baseline, DIRECT } from './contenders.mjs';
import { writeSection } from './docs-section.mjs';
import { gatewayPage } from './gateway-page.mjs';
import { measureQuickly } from './quick.mjs';
import { costFigure, rounded, table } from './report.mjs';
import { measureTriton } from './triton.mjs';
import { tritonPage } from './triton-page.mjs';
import { measureContender, measureDirect } from './whole.mjs';

/**
 * @import { Contender } from './contenders.mjs'
 * @import { Report, Run } from './report.mjs'
 */

const PARTS = ['paced', 'full', 'requests', 'single'];

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    triton: { type: 'boolean', default: false },
    streams: { type: 'string', default: '1,32,256' },
    tokens: { type: 'string', default: '128' },
    seconds: { type: 'string', default: '2.5' },
    'warmup-seconds': { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    'interval-ms': { type: 'string', default: '10' },
    only: { type: 'string' },
    gateway: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const [loadBefore = 0] = loadavg();
const plan = {
  streams: values.streams.split(',').map(Number),
  tokens: Number(values.tokens),
  seconds: Number(values.seconds),
  intervalMilliseconds: Number(values['interval-ms']),
  warmupSeconds: Number(values['warmup-seconds']),
  only: values.only,
};

/** @param {string} line */
const say = (line) => process.stderr.write(`${line}\n`);

/** @returns {Contender[]} */
function contenders() {
  if (values.gateway === undefined) return allContenders();
  return values.gateway.map((pair) => {
    const name = pair.includes('=') ? pair.slice(0, pair.indexOf('=')) : path.parse(pair).name;
    const script = path.resolve(pair.slice(pair.indexOf('=') + 1));
    if (!existsSync(script)) throw new Error(`${script} does not exist`);
    return { name, script, contract: 'vllm' };
  });
}

/** @param {Run[]} runs */
function noteIn(runs, /** @type {number} */ round, /** @type {string} */ gateway) {
  return (/** @type {string} */ scenario, /** @type {Record<string, number>} */ result) => {
    runs.push({ round, gateway, scenario, result: rounded(result) });
    const cost = result[costFigure(scenario)];
    if (cost === undefined) return;
    const unit = scenario === 'requests' ? 'µs/request' : scenario === 'first' ? 'ms added' : 'µs/token';
    const rate = result['tokensPerSecond'] === undefined ? '' : ` at ${result['tokensPerSecond'].toFixed(0)} tokens/s`;
    say(`round ${round}  ${scenario.padEnd(8)}  ${gateway}: ${cost.toFixed(2)} ${unit}${rate}`);
  };
}

/** Every contender in turn, in the other direction in every second round. */
async function measureAll() {
  const list = contenders();
  /** @type {Run[]} */
  const runs = [];
  for (let round = 1; round <= rounds; round++) {
    if (values.only === undefined && values.gateway === undefined)
      await measureDirect(plan, noteIn(runs, round, DIRECT));
    for (const contender of round % 2 === 1 ? list : list.toReversed())
      await measureContender(contender, plan, noteIn(runs, round, contender.name));
  }
  const place = (/** @type {Run} */ { gateway }) => list.findIndex(({ name }) => name === gateway);
  return runs.toSorted((a, b) => place(a) - place(b) || a.round - b.round);
}

/**
 * @param {Run[]} runs
 * @returns {Report}
 */
function reportOf(runs) {
  const { tokens, intervalMilliseconds, seconds } = plan;
  return {
    date: new Date().toISOString().slice(0, 10),
    settings: { tokens, intervalMilliseconds, seconds, rounds },
    machine: { node: process.version, cores: cpus().length, model: cpus()[0]?.model ?? 'unknown', loadBefore },
    runs,
  };
}

/**
 * @param {Report} report
 * @param {string} name
 */
function save(report, name) {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(name, folder), `${JSON.stringify(report, undefined, 2)}\n`);
}

async function main() {
  if (values.only !== undefined && !PARTS.includes(values.only)) {
    throw new Error(`--only takes one of ${PARTS.join(', ')}`);
  }
  await install();
  await build();
  if (loadBefore > cpus().length)
    say(`The load average is ${loadBefore.toFixed(1)}: ratios of so busy a machine say little.`);
  if (values.quick) {
    process.stdout.write(`${JSON.stringify(await measureQuickly(say))}\n`);
    return;
  }
  const report = reportOf(values.triton ? await measureTriton(plan, rounds, noteIn) : await measureAll());
  const isWhole = values.only === undefined && values.gateway === undefined;
  if (isWhole || values.write) {
    save(report, `${report.date}${values.triton ? '-triton' : ''}.json`);
    if (values.triton) writeSection('triton', tritonPage(report));
    else writeSection('gateway', gatewayPage(report));
  }
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : table(report, baseline.name));
}

try {
  await main();
} catch (error) {
  say(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
