/**
 * What a token costs: CPU time of the gateway process, against the scripted token server, each measurement with fresh processes.
 *
 *   npm run bench -- [--streams 256] [--tokens 128] [--seconds 5] [--rounds 3] [--only paced|full|requests|single]
 *                    [--interval-ms 10] [--gateway NAME=SCRIPT]... [--json]
 *
 * A gateway is a script that takes conch's flags --triton, --host, --port and --chat-template. Several are measured in turn within
 * each round. Progress goes to stderr, the table (or, with --json, one line) to stdout.
 */
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runLoad, startGateway, startTokenServer } from './processes.mjs';
import { median, summarize, table } from './report.mjs';

/** @import { Gateway } from './processes.mjs' */

const CONCH = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const FIRST_TOKEN_PAIRS = 3;
const SCENARIOS = ['paced', 'full', 'requests', 'single'];

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '256' },
    tokens: { type: 'string', default: '128' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    'interval-ms': { type: 'string', default: '10' },
    only: { type: 'string' },
    gateway: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
const interval = Number(values['interval-ms']);
const tokens = Number(values.tokens);
const streams = Number(values.streams);
/** Seconds in which most of the compiling is done, which would otherwise count as the cost of the first tokens. */
const warmup = Math.max(8, (tokens * interval * 1.5) / 1000);

/** @param {string} line */
const say = (line) => process.stderr.write(`${line}\n`);

/** @returns {Gateway[]} */
function gateways() {
  const chosen = values.gateway ?? [`conch=${CONCH}`];
  return chosen.map((pair) => {
    const name = pair.includes('=') ? pair.slice(0, pair.indexOf('=')) : path.parse(pair).name;
    const script = path.resolve(pair.slice(pair.indexOf('=') + 1));
    if (!existsSync(script)) throw new Error(`${script} does not exist. Is it built? (npm run build)`);
    return { name, script };
  });
}

/**
 * The gateway and its upstream, fresh, for the time of one measurement.
 * @template Result
 * @param {Gateway} gateway
 * @param {number} pace
 * @param {(parts: { url: string, direct: string, watched: Record<string, number>, readyMilliseconds: number }) => Promise<Result>} work
 */
async function withFresh(gateway, pace, work) {
  const upstream = await startTokenServer(pace);
  try {
    const running = await startGateway(gateway, upstream.port);
    try {
      const watched = { gateway: running.pid, upstream: upstream.pid };
      const direct = `grpc://127.0.0.1:${upstream.port}`;
      return await work({ url: running.url, direct, watched, readyMilliseconds: running.readyMilliseconds });
    } finally {
      await running.stop();
    }
  } finally {
    await upstream.stop();
  }
}

/** @param {any} load */
function costs(load) {
  const { gateway, upstream, client } = load.processes;
  return {
    microsecondsPerToken: gateway.microsecondsPerToken,
    microsecondsPerRequest: gateway.microsecondsPerRequest,
    cpuShare: gateway.cpuShare,
    residentMegabytes: gateway.memory.resident,
    peakMegabytes: gateway.memory.peak,
    tokensPerSecond: load.tokensPerSecond,
    requestsPerSecond: load.requestsPerSecond,
    tokensPerRead: load.tokensPerRead,
    firstTokenP50: load.firstTokenMilliseconds.p50,
    firstTokenP99: load.firstTokenMilliseconds.p99,
    upstreamShare: upstream.cpuShare,
    clientShare: client.cpuShare,
  };
}

/**
 * Many streams at once, paced as by a model, or as fast as the upstream can.
 * @param {Gateway} gateway
 * @param {number} pace
 * @param {{ streams: number, tokens: number }} load
 */
function measureMany(gateway, pace, load) {
  return withFresh(gateway, pace, async ({ url, watched, readyMilliseconds }) => {
    const report = await runLoad(url, { ...load, seconds, 'warmup-seconds': warmup }, watched);
    return { ...costs(report), readyMilliseconds };
  });
}

/**
 * What the gateway adds to the first token at one stream: directly and through it in turn, short answers one after the
 * other. A pause between them would measure how the machine wakes up.
 * @param {Gateway} gateway
 */
function measureFirstToken(gateway) {
  return withFresh(gateway, 0, async ({ url, direct, watched }) => {
    const load = { streams: 1, tokens: 2, seconds: Math.min(1, seconds), 'warmup-seconds': 0.5 };
    const pairs = [];
    for (let pair = 0; pair < FIRST_TOKEN_PAIRS; pair++) {
      // oxlint-disable-next-line no-await-in-loop -- measurements must not overlap
      const straight = await runLoad(direct, load, watched);
      // oxlint-disable-next-line no-await-in-loop -- measurements must not overlap
      const through = await runLoad(url, load, watched);
      pairs.push({ direct: straight.firstTokenMilliseconds.p50, through: through.firstTokenMilliseconds.p50 });
    }
    return {
      firstTokenDirectP50: median(pairs.map((pair) => pair.direct)),
      firstTokenP50: median(pairs.map((pair) => pair.through)),
      firstTokenAdded: median(pairs.map((pair) => pair.through - pair.direct)),
    };
  });
}

/**
 * One paced stream through the gateway, and what it takes from the rate.
 * @param {Gateway} gateway
 */
function measureSingle(gateway) {
  return withFresh(gateway, interval, async ({ url, direct, watched }) => {
    const load = { streams: 1, tokens, seconds, 'warmup-seconds': 1 };
    const straight = await runLoad(direct, load, watched);
    const through = await runLoad(url, load, watched);
    return { ...costs(through), rateAgainstDirect: through.tokensPerSecond / straight.tokensPerSecond };
  });
}

/**
 * @param {string} scenario
 * @param {Gateway} gateway
 * @returns {Promise<Record<string, number>>}
 */
async function measure(scenario, gateway) {
  switch (scenario) {
    case 'paced':
      return measureMany(gateway, interval, { streams, tokens });
    case 'full':
      return measureMany(gateway, 0, { streams, tokens });
    case 'requests':
      return measureMany(gateway, 0, { streams: Math.min(32, streams), tokens: 1 });
    default:
      return { ...(await measureSingle(gateway)), ...(await measureFirstToken(gateway)) };
  }
}

async function main() {
  if (values.only !== undefined && !SCENARIOS.includes(values.only)) {
    throw new Error(`--only takes one of ${SCENARIOS.join(', ')}`);
  }
  const contenders = gateways();
  const scenarios = SCENARIOS.filter((name) => values.only === undefined || values.only === name);
  /** @type {{ gateway: string, scenario: string, result: Record<string, number> }[]} */
  const runs = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    for (const scenario of scenarios) {
      for (const gateway of contenders) {
        // oxlint-disable-next-line no-await-in-loop -- measurements must not overlap
        const result = await measure(scenario, gateway);
        runs.push({ gateway: gateway.name, scenario, result });
        const cost = scenario === 'requests' ? result['microsecondsPerRequest'] : result['microsecondsPerToken'];
        const unit = scenario === 'requests' ? 'request' : 'token';
        const rate = `${result['tokensPerSecond']?.toFixed(0)} tokens/s`;
        say(`round ${round}  ${scenario.padEnd(8)}  ${gateway.name}: ${cost?.toFixed(2)} µs/${unit} at ${rate}`);
      }
    }
  }
  const settings = { streams, tokens, seconds, rounds: Number(values.rounds), intervalMilliseconds: interval };
  const machine = { node: process.version, cores: cpus().length, model: cpus()[0]?.model ?? '' };
  const results = summarize(runs);
  if (values.json) process.stdout.write(`${JSON.stringify({ settings, machine, results })}\n`);
  else process.stdout.write(table({ settings, machine, results }));
}

try {
  await main();
} catch (error) {
  say(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
