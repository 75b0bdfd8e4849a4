/** The flags of `npm run bench`, and what a run without any does. */
import { parseArgs } from 'node:util';
import { DEFAULT_PORT, isGatewayUrl, parseRunning } from './running-gateway.mjs';
import { PARTS } from './scenarios.mjs';

/** @import { Plan } from './scenarios.mjs' */

const CONTRACTS = /** @type {const} */ (['vllm', 'ensemble', 'tokens']);
const WHOLE = {
  streams: '1,32,256',
  tokens: '128',
  seconds: '2.5',
  'warmup-seconds': '4',
  rounds: '3',
  windows: '1',
  'interval-ms': '10',
};
const USUAL = {
  whole: WHOLE,
  /** Short windows, and more of them: a difference is seen best in pairs. */
  against: { ...WHOLE, streams: '256', seconds: '1.2', 'warmup-seconds': '3', windows: '3' },
  quick: { ...WHOLE, streams: '256', seconds: '1', 'warmup-seconds': '3', rounds: '1', windows: '3' },
  /** The model of tritonserver is slow: short responses, as those that are open at the end of a window must end before the next. */
  triton: { ...WHOLE, tokens: '32', seconds: '1.5', 'warmup-seconds': '0.8', rounds: '2' },
  upstream: WHOLE,
};
const QUICK_PARTS = ['paced', 'full', 'requests', 'single'];

/** @typedef {keyof typeof USUAL} Mode */

const text = /** @type {const} */ ({ type: 'string' });
const list = /** @type {const} */ ({ type: 'string', multiple: true });
const flag = /** @type {const} */ ({ type: 'boolean', default: false });

/** @param {string[]} flags */
function parse(flags) {
  const loads = { streams: text, tokens: text, seconds: text, 'warmup-seconds': text, windows: text, rounds: text };
  const { values, positionals } = parseArgs({
    args: flags,
    allowPositionals: true,
    options: {
      ...loads,
      'interval-ms': text,
      only: list,
      against: list,
      gateway: list,
      upstream: text,
      contract: { type: 'string', default: 'vllm' },
      quick: flag,
      triton: flag,
      details: flag,
      json: flag,
      write: flag,
    },
  });
  return { values, positionals };
}

/**
 * The commits and the gateways of --against: a value with http:// is a gateway, followed by its process.
 * @param {string[]} against
 * @param {string[]} pids
 */
function others(against, pids) {
  const urls = against.filter(isGatewayUrl);
  if (pids.length > urls.length)
    throw new Error(`"${pids[urls.length]}" belongs to no flag: a process ID follows --against URL.`);
  return {
    refs: against.filter((value) => !isGatewayUrl(value)),
    running: urls.map((value, index) => parseRunning(value, pids[index])),
  };
}

/**
 * @param {{ quick: boolean, triton: boolean, against: string[], upstream?: string | undefined }} values
 * @returns {Mode}
 */
function modeOf({ quick, triton, against, upstream }) {
  if (against.length > 0) return 'against';
  if (upstream !== undefined) return 'upstream';
  return quick ? 'quick' : triton ? 'triton' : 'whole';
}

/**
 * @param {Record<string, string>} chosen
 * @returns {Record<string, number>}
 */
function numbersOf(chosen) {
  const named = Object.entries(chosen).filter(([name]) => name !== 'streams');
  const wrong = named.find(([, value]) => !(Number(value) >= 0));
  if (wrong !== undefined) throw new Error(`--${wrong[0]} must be a number, not "${wrong[1]}".`);
  return Object.fromEntries(named.map(([name, value]) => [name, Number(value)]));
}

/** @param {string[]} flags */
export function readOptions(flags) {
  const { values, positionals } = parse(flags);
  const {
    only = [],
    against = [],
    gateway,
    upstream,
    contract: requested,
    quick,
    triton,
    details,
    json,
    write,
    ...loads
  } = values;
  const unknown = only.find((part) => !PARTS.includes(part));
  if (unknown !== undefined) throw new Error(`--only takes one of ${PARTS.join(', ')}; not "${unknown}".`);
  const contract = CONTRACTS.find((name) => name === requested);
  if (contract === undefined) throw new Error(`--contract takes one of ${CONTRACTS.join(', ')}; not "${requested}".`);
  const mode = modeOf({ quick, triton, against, upstream });
  const usual = USUAL[mode];
  const chosen = { ...usual, ...loads };
  const numbers = numbersOf(chosen);
  const port = upstream === undefined ? DEFAULT_PORT : Number(upstream);
  if (!(Number.isInteger(port) && port > 0 && port < 65_536))
    throw new Error(`--upstream takes a port, not "${upstream}".`);
  /** @type {Plan} */
  const plan = {
    streams: chosen.streams.split(',').map(Number),
    tokens: numbers['tokens'] ?? 0,
    seconds: numbers['seconds'] ?? 0,
    intervalMilliseconds: numbers['interval-ms'] ?? 0,
    warmupSeconds: numbers['warmup-seconds'] ?? 0,
    windows: numbers['windows'] ?? 1,
    only: mode === 'quick' && only.length === 0 ? QUICK_PARTS : only,
  };
  const isUsual = JSON.stringify(chosen) === JSON.stringify(usual);
  return {
    mode,
    ...others(against, positionals),
    gateway,
    upstream: { port, contract },
    rounds: numbers['rounds'] ?? 1,
    plan,
    /** Whether the windows of a short run are as many as there is time for. */
    isTimed: mode === 'quick' && loads.windows === undefined,
    details,
    json,
    /** Whether the page and the results are written: a short or partial run must not take the place of a whole one. */
    writes: write || (isUsual && only.length === 0 && gateway === undefined && (mode === 'whole' || mode === 'triton')),
  };
}
