/**
 * What a token costs: CPU time of the gateway process, against the scripted token server, each contender with fresh processes.
 *
 *   npm run bench -- [--quick] [--triton] [--rounds 3] [--seconds 2.5] [--streams 1,32,256] [--tokens 128] [--interval-ms 10] [--warmup-seconds 4]
 *                    [--only paced|full|requests|single] [--against REF] [--gateway NAME=SCRIPT]... [--json] [--write]
 *
 * A gateway is a script that takes conch's flags --triton, --host, --port and --chat-template. Progress goes to stderr, the table (or, with --json,
 * one line) to stdout. A run with none of these flags, or with --triton alone, also writes bench/results/ and docs/benchmarks.md; another one with --write.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from '../scripts/lib/build.mjs';
import { install } from '../scripts/lib/install.mjs';
import { againstTable, measureAgainst } from './against.mjs';
import { allContenders, baseline, DIRECT, inMeasuringOrder } from './contenders.mjs';
import { writeSection } from './docs-section.mjs';
import { gatewayPage } from './gateway-page.mjs';
import { machineWords, thisMachine, wasBusy } from './machine.mjs';
import { readOptions } from './options.mjs';
import { measureQuickly } from './quick.mjs';
import { costFigure, rounded, table } from './report.mjs';
import { measureTriton } from './triton.mjs';
import { tritonPage } from './triton-page.mjs';
import { measureContender, measureDirect } from './whole.mjs';

/**
 * @import { Contender } from './contenders.mjs'
 * @import { Report, Run } from './report.mjs'
 */

/** @param {string} line */
const say = (line) => process.stderr.write(`${line}\n`);

/** @param {unknown} error */
const sayFault = (error) => say(`bench: ${error instanceof Error ? error.message : String(error)}`);

const machine = thisMachine();
const { plan, rounds, against, gateway: gateways, quick, triton, json, writes } = options();

function options() {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    sayFault(error);
    process.exit(2);
  }
}

/** @returns {Contender[]} */
function contenders() {
  if (gateways === undefined) return allContenders();
  return gateways.map((pair) => {
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
  const order = inMeasuringOrder(list);
  /** @type {Run[]} */
  const runs = [];
  for (let round = 1; round <= rounds; round++) {
    if (plan.only === undefined && gateways === undefined) await measureDirect(plan, noteIn(runs, round, DIRECT));
    for (const contender of round % 2 === 1 ? order : order.toReversed())
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
    date: machine.begun.slice(0, 10),
    settings: { tokens, intervalMilliseconds, seconds, rounds },
    machine,
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
  await install();
  await build();
  if (wasBusy(machine)) say(machineWords(machine));
  if (quick) {
    process.stdout.write(`${JSON.stringify(await measureQuickly(say))}\n`);
    return;
  }
  if (against !== undefined) {
    const found = await measureAgainst(against, { rounds, only: plan.only, say });
    process.stdout.write(json ? `${JSON.stringify(found)}\n` : againstTable(found.commit, found.comparisons));
    return;
  }
  const report = reportOf(triton ? await measureTriton(plan, rounds, noteIn) : await measureAll());
  if (writes) {
    save(report, `${report.date}${triton ? '-triton' : ''}.json`);
    if (triton) writeSection('triton', tritonPage(report));
    else writeSection('gateway', gatewayPage(report));
  }
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : table(report, baseline.name));
}

try {
  await main();
} catch (error) {
  sayFault(error);
  process.exitCode = 1;
}
