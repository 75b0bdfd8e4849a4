/**
 * What a token and a request cost: CPU time of the gateway's processes in front of the scripted token server, beside the grpc-js baseline.
 *
 *   npm run bench -- [--quick | --triton | --against REF | --against [NAME=]URL PID]... [--only PART]... [--details] [--json] [--write]
 *                    [--rounds 3] [--windows 1] [--seconds 2.5] [--streams 1,32,256] [--tokens 128] [--interval-ms 10] [--warmup-seconds 4]
 *                    [--gateway NAME=SCRIPT]... [--upstream PORT] [--contract vllm|ensemble|tokens]
 *
 * bench/README.md says what each does. Progress goes to stderr, the table (or, with --json, one line) to stdout. A run without flags of the load also
 * writes bench/results/ and docs/benchmarks.md; another one with --write.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { build } from '../scripts/lib/build.mjs';
import { install } from '../scripts/lib/install.mjs';
import { allContenders, baseline, conch } from './contenders.mjs';
import { headline } from './lines.mjs';
import { machineWords, thisMachine, wasBusy } from './machine.mjs';
import { readOptions } from './options.mjs';
import { buildOfRef } from './other-ref.mjs';
import { gatewayResult } from './page/gateway-claims.mjs';
import { tritonResult } from './page/triton-claims.mjs';
import { rounded } from './report.mjs';
import { saveResult } from './results.mjs';
import { measureRounds } from './rounds.mjs';
import { checkRunning, instructions } from './running-gateway.mjs';
import { scenariosOf } from './scenarios.mjs';
import { comparisonTable, detailTables } from './tables.mjs';
import { measureTriton } from './triton.mjs';
import { openUpstream, serveUpstream } from './upstream.mjs';

/**
 * @import { Contender } from './contenders.mjs'
 * @import { Report, Run } from './report.mjs'
 * @import { RunOptions } from './rounds.mjs'
 * @import { Scenario } from './scenarios.mjs'
 */

const QUICK_SECONDS = 50;

/** @param {string} line */
const say = (line) => process.stderr.write(`${line}\n`);

/** @param {unknown} error */
const sayFailure = (error) => say(`bench: ${error instanceof Error ? error.message : String(error)}`);

const machine = thisMachine();
const options = readFlags();
const { mode, plan, rounds, upstream } = options;

function readFlags() {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    sayFailure(error);
    process.exit(2);
  }
}

/**
 * @param {string[]} pairs
 * @returns {Contender[]}
 */
function scriptGateways(pairs) {
  return pairs.map((pair) => {
    const name = pair.includes('=') ? pair.slice(0, pair.indexOf('=')) : path.parse(pair).name;
    const script = path.resolve(pair.slice(pair.indexOf('=') + 1));
    if (!existsSync(script)) throw new Error(`--gateway ${pair}: ${script} does not exist.`);
    return { name, script, contract: 'vllm' };
  });
}

/** @param {Run} run */
function sayRun({ round, gateway, scenario, result }) {
  const { microsecondsPerRequest, microsecondsPerToken, firstTokenAdded, tokensPerSecond } = result;
  const isRequest = scenario === 'requests' || scenario === 'unstreamed';
  const cost = isRequest ? microsecondsPerRequest : (microsecondsPerToken ?? firstTokenAdded);
  if (cost === undefined) return;
  const unit = isRequest ? 'µs/request' : microsecondsPerToken === undefined ? 'ms added' : 'µs/token';
  const rate = tokensPerSecond === undefined ? '' : ` at ${tokensPerSecond.toFixed(0)} tokens/s`;
  say(`round ${round}  ${scenario.padEnd(11)}  ${gateway}: ${cost.toFixed(2)} ${unit}${rate}`);
}

/** Windows as far as the time of a short run goes: each load may begin another until its share is over. */
function withinTime(/** @type {Scenario[]} */ scenarios) {
  const started = performance.now();
  return (/** @type {Scenario} */ scenario) => {
    const share = (scenarios.indexOf(scenario) + 1) / scenarios.length;
    return performance.now() - started < QUICK_SECONDS * 1000 * share;
  };
}

/**
 * @param {Contender[][]} groups
 * @param {RunOptions['around']} [around]
 * @returns {Promise<Run[]>}
 */
async function measure(groups, around = {}) {
  const scenarios = scenariosOf(plan);
  /** @type {Run[]} */
  const runs = [];
  const note = (/** @type {Run} */ run) => {
    runs.push({ ...run, result: rounded(run.result) });
    sayRun(run);
  };
  const time = options.isTimed ? { mayGoOn: withinTime(scenarios) } : {};
  await measureRounds({ groups, scenarios, rounds, note, say, around, ...time });
  const names = [...groups.flat(), ...(around.running ?? [])].map(({ name }) => name);
  return runs.toSorted((a, b) => names.indexOf(a.gateway) - names.indexOf(b.gateway));
}

/** The working tree beside other commits and gateways that run already; the baseline is there with the latter. */
async function measureAgainst() {
  const { refs, running } = options;
  const ours = allContenders().find(({ contract }) => contract === upstream.contract) ?? conch;
  const built = [];
  for (const ref of refs) built.push(await buildOfRef(ref, say));
  const commits = built.map(({ commit, script }) => ({ ...ours, name: commit, script }));
  const tree = { ...ours, name: refs.length > 0 ? 'working tree' : ours.name };
  if (running.length === 0) return await measure([[tree, ...commits]]);
  const server = await openUpstream(upstream.port, upstream.contract);
  try {
    const { harness } = await import('./harness.mjs');
    say(`The token server listens on 127.0.0.1:${server.port}.`);
    for (const gateway of running) await checkRunning(gateway, harness, say);
    const contenders = [tree, ...commits, ...(upstream.contract === 'vllm' ? [baseline] : [])];
    return await measure([contenders], { upstream: server, running });
  } finally {
    await server.stop();
  }
}

/** @returns {Promise<Run[]>} */
async function measureMode() {
  if (mode === 'against') return await measureAgainst();
  if (mode === 'triton') return await measureTriton(plan, rounds, sayRun);
  if (options.gateway !== undefined) return await measure([scriptGateways(options.gateway)]);
  if (mode === 'quick') return await measure([[conch, baseline]]);
  const others = allContenders().filter((contender) => contender !== conch && contender !== baseline);
  return await measure([[conch, baseline], ...others.map((contender) => [contender])]);
}

async function main() {
  await install();
  await build();
  if (mode === 'upstream') {
    await serveUpstream(upstream.port, upstream.contract);
    say(instructions(upstream.port, upstream.contract));
    return;
  }
  if (wasBusy(machine)) say(machineWords(machine));
  const { tokens, intervalMilliseconds, seconds, windows } = plan;
  const settings = { tokens, intervalMilliseconds, seconds, rounds, windows };
  /** @type {Report} */
  const report = { settings, machine, runs: await measureMode() };
  if (mode === 'quick') {
    process.stdout.write(`${JSON.stringify(rounded(headline(report.runs)))}\n`);
    return;
  }
  if (options.writes) {
    const kind = mode === 'triton' ? 'triton' : 'gateway';
    const { result, charts } = (kind === 'triton' ? tritonResult : gatewayResult)(report);
    await saveResult(kind, result, charts);
  }
  const tables = mode === 'triton' ? [] : [comparisonTable(report)];
  if (options.details || mode === 'triton') tables.push(detailTables(report));
  process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : `\n${tables.join('\n')}`);
}

try {
  await main();
} catch (error) {
  sayFailure(error);
  process.exitCode = 1;
}
