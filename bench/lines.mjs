/** What a run reports, line by line, and what each is meant to reach. */
import { baseline, conch } from './contenders.mjs';
import { compare, medianOf } from './report.mjs';

/** @import { Run } from './report.mjs' */

/**
 * @typedef {object} Line
 * @property {string} title
 * @property {string} scenario
 * @property {string} figure
 * @property {string} unit
 * @property {number} digits
 * @property {number} [factor]
 * @property {number} [most] the goal: at most
 * @property {number} [least] the goal: at least
 */

const PER_TOKEN = { figure: 'microsecondsPerToken', unit: 'µs/token' };
const PER_REQUEST = { figure: 'microsecondsPerRequest', unit: 'µs/request', digits: 0 };
const ADDED = { figure: 'firstTokenAdded', unit: 'ms', digits: 2 };

/** @type {readonly Line[]} */
export const LINES = [
  { title: 'token, paced, 256 streams', scenario: 'paced256', ...PER_TOKEN, digits: 1, most: 11 },
  { title: 'token, full speed, 256 streams', scenario: 'full256', ...PER_TOKEN, digits: 2 },
  { title: 'token, paced, stream_interval 5', scenario: 'interval5', ...PER_TOKEN, digits: 1, most: 4 },
  { title: 'request, unstreamed', scenario: 'unstreamed', ...PER_REQUEST, most: 120 },
  { title: 'request, streamed', scenario: 'requests', ...PER_REQUEST },
  { title: 'first token added, 1 stream', scenario: 'first1', ...ADDED, most: 0.2 },
  { title: 'first token added, 64 streams', scenario: 'first64', ...ADDED },
  {
    title: 'rate of 1 stream, of direct gRPC',
    scenario: 'paced1',
    figure: 'rateAgainstDirect',
    unit: '%',
    digits: 1,
    factor: 100,
    least: 98,
  },
  {
    title: 'event-loop delay p99, 1,000 streams',
    scenario: 'streams1000',
    figure: 'loopDelayP99',
    unit: 'ms',
    digits: 1,
  },
  { title: 'RSS, idle', scenario: 'start', figure: 'idleMegabytes', unit: 'MB', digits: 0, most: 60 },
  { title: 'RSS, 1,000 streams', scenario: 'streams1000', figure: 'peakMegabytes', unit: 'MB', digits: 0, most: 120 },
  { title: 'ready after start', scenario: 'start', figure: 'readyMilliseconds', unit: 'ms', digits: 0, most: 300 },
];

/**
 * The lines of a run: those above, and the tokens of other numbers of streams.
 * @param {Run[]} runs
 * @returns {Line[]}
 */
export function linesOf(runs) {
  const others = [...new Set(runs.map(({ scenario }) => scenario))].flatMap((scenario) => {
    const [, pace, streams] = /^(paced|full)(\d+)$/.exec(scenario) ?? [];
    if (streams === undefined || streams === '256') return [];
    const title = `token, ${pace === 'paced' ? 'paced' : 'full speed'}, ${streams} stream${streams === '1' ? '' : 's'}`;
    return [{ title, scenario, ...PER_TOKEN, digits: 1 }];
  });
  return [...LINES, ...others];
}

/** Goals against other gateways, by their names: the share of their cost. @type {readonly { name: RegExp, most: Readonly<Record<string, number>> }[]} */
const PEERS = [
  { name: /rust|openai.trtllm/i, most: { paced256: 0.6, full256: 0.25, unstreamed: 0.9, requests: 0.9 } },
  { name: /python/i, most: { paced256: 0.25, full256: 0.05, unstreamed: 0.2, requests: 0.2 } },
];

/**
 * The largest share of another gateway's cost that is the goal; undefined where there is none.
 * @param {Line} line
 * @param {string} against
 */
export function mostOf({ scenario, figure }, against) {
  if (!figure.startsWith('micro')) return undefined;
  return PEERS.find(({ name }) => name.test(against))?.most[scenario];
}

/**
 * The median of a line, in its unit.
 * @param {Run[]} runs
 * @param {Line} line
 * @param {string} gateway
 */
export function valueOf(runs, { scenario, figure, factor = 1 }, gateway) {
  const found = runs.filter((run) => run.scenario === scenario && run.gateway === gateway);
  const results = found.map(({ result }) => result).filter((result) => result[figure] !== undefined);
  return results.length === 0 ? undefined : medianOf(results, figure) * factor;
}

/**
 * @param {Line} line
 * @param {number | undefined} value
 */
export function verdict({ most, least }, value) {
  if (value === undefined || (most === undefined && least === undefined)) return '';
  return value <= (most ?? value) && value >= (least ?? value) ? 'met' : 'missed';
}

/**
 * @param {Line} line
 * @returns {string}
 */
export function goalOf({ most, least, unit }) {
  if (most !== undefined) return `≤ ${most} ${unit}`;
  return least === undefined ? '' : `≥ ${least} ${unit}`;
}

/**
 * The figures of one run that others build on, by the names that `--quick` prints: ratios say how many times cheaper than the baseline.
 * @param {Run[]} runs
 */
export function headline(runs) {
  const of = (/** @type {string} */ scenario, /** @type {string} */ figure) =>
    valueOf(runs, { title: '', unit: '', digits: 0, scenario, figure }, conch.name);
  const cheaper = (/** @type {string} */ scenario) => {
    const what = { scenario, figure: 'microsecondsPerToken', gateway: conch.name, against: baseline.name };
    const found = compare(runs, what);
    return found === undefined ? undefined : 1 / found.ratio;
  };
  const figures = {
    paced256_vs_grpcjs: cheaper('paced256'),
    full256_vs_grpcjs: cheaper('full256'),
    ttft_added_ms: of('first1', 'firstTokenAdded'),
    throughput_vs_direct: of('paced1', 'rateAgainstDirect'),
    us_per_token_paced256: of('paced256', 'microsecondsPerToken'),
    us_per_request: of('requests', 'microsecondsPerRequest'),
    us_per_request_unstreamed: of('unstreamed', 'microsecondsPerRequest'),
  };
  return Object.fromEntries(
    Object.entries(figures).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
