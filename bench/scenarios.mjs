/** What is measured of a gateway: the loads of a run, in their order. */

/**
 * @import { Load } from './measure.mjs'
 * @typedef {'load' | 'first' | 'rate'} ScenarioKind costs under a load; what is added to the first token; the rate of one stream beside a direct one
 */

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string[]} parts as --only has them
 * @property {ScenarioKind} kind
 * @property {Load} load
 * @property {number} interval milliseconds between the tokens of a stream; 0 for full speed
 * @property {number} warmSeconds of CPU, at this load, before the first window
 * @property {number} windows of each gateway in a round
 * @property {boolean} [everyContract] measured of TensorRT-LLM's models too
 * @property {boolean} [optional] a gateway that refuses it has no figure
 * @property {boolean} [watchesLoop] with fresh gateways, whose event loop is watched
 */

/** @typedef {{ streams: number[], tokens: number, seconds: number, intervalMilliseconds: number, warmupSeconds: number, windows: number, only: string[] }} Plan */

export const PARTS = ['paced', 'full', 'requests', 'interval', 'first', 'single', 'many', 'start'];

/** As many tokens a second as 256 streams at 10 ms: more would be too much for one core of some gateways. */
const MANY = { streams: 1000, interval: 40 };
const STREAM_INTERVAL = 5;

/**
 * The window at a pace: whole responses, so that every stream begins and ends as many.
 * @param {Plan} plan
 */
function pacedSeconds({ tokens, intervalMilliseconds, seconds }) {
  const response = (tokens * intervalMilliseconds) / 1000;
  return Math.max(1, Math.round(seconds / response)) * response;
}

/**
 * @param {Plan} plan
 * @returns {Scenario[]}
 */
function tokenScenarios(plan) {
  const { tokens, seconds, intervalMilliseconds, warmupSeconds, windows } = plan;
  const counts = plan.streams.toSorted((a, b) => b - a);
  const full = counts.map((streams, index) => ({
    name: `full${streams}`,
    parts: ['full'],
    kind: /** @type {const} */ ('load'),
    load: { streams, tokens, seconds, 'warmup-seconds': streams > 1 ? 0.6 : 0.3 },
    interval: 0,
    warmSeconds: index === 0 ? warmupSeconds : 0,
    windows,
    everyContract: true,
  }));
  const paced = [...new Set([...counts, 1])].map((streams) => ({
    name: `paced${streams}`,
    parts: streams === 1 ? ['paced', 'single'] : ['paced'],
    kind: /** @type {ScenarioKind} */ (streams === 1 ? 'rate' : 'load'),
    // One stream has few tokens to judge by.
    load: {
      streams,
      tokens,
      seconds: pacedSeconds(plan) * (streams === 1 ? 2 : 1),
      'warmup-seconds': 0.7,
      ...(streams === 1 ? {} : { 'drain-seconds': 0 }),
    },
    interval: intervalMilliseconds,
    warmSeconds: streams > 1 ? Math.min(0.5, warmupSeconds) : 0,
    windows: streams > 1 ? windows : 1,
    everyContract: streams > 1,
  }));
  return [...full, ...paced];
}

/**
 * @param {Plan} plan
 * @returns {Scenario[]}
 */
function requestScenarios({ seconds, warmupSeconds, windows }) {
  const load = { streams: 32, tokens: 1, seconds, 'warmup-seconds': 0.4 };
  const common = { parts: ['requests'], kind: /** @type {const} */ ('load'), interval: 0, windows };
  return [
    { name: 'unstreamed', load: { ...load, unstreamed: true }, warmSeconds: 0.6 * warmupSeconds, ...common },
    { name: 'requests', load, warmSeconds: 0.3 * warmupSeconds, everyContract: true, ...common },
  ];
}

/**
 * One token in a chunk and five. A gateway without the field refuses it or ignores it, and has no figure then.
 * @param {Plan} plan
 * @returns {Scenario}
 */
function intervalScenario(plan) {
  const extra = JSON.stringify({ stream_interval: STREAM_INTERVAL });
  const load = { streams: Math.max(...plan.streams), tokens: plan.tokens, seconds: pacedSeconds(plan), extra };
  return {
    name: `interval${STREAM_INTERVAL}`,
    parts: ['interval'],
    kind: 'load',
    load: {
      ...load,
      'by-text': true,
      'warmup-seconds': 0.7,
      'drain-seconds': 0,
      'least-per-event': STREAM_INTERVAL / 2,
    },
    interval: plan.intervalMilliseconds,
    warmSeconds: 0,
    windows: plan.windows,
    optional: true,
  };
}

/**
 * Short responses one after the other at one stream: a pause between them would measure how the machine wakes up. At 64 they
 * are paced, and begin at all times.
 * @param {Plan} plan
 * @returns {Scenario[]}
 */
function firstTokenScenarios({ seconds, intervalMilliseconds, windows }) {
  const common = { kind: /** @type {const} */ ('first'), warmSeconds: 0, windows };
  const single = { streams: 1, tokens: 2, seconds: Math.min(seconds, 0.8), 'warmup-seconds': 0.3 };
  const many = { streams: 64, tokens: 32, seconds, stagger: true, 'warmup-seconds': 0.3 };
  return [
    { name: 'first1', parts: ['first', 'single'], load: single, interval: 0, ...common },
    { name: 'first64', parts: ['first'], load: many, interval: intervalMilliseconds, ...common },
  ];
}

/**
 * @param {Plan} plan
 * @returns {Scenario}
 */
function manyScenario({ tokens, seconds }) {
  const load = { streams: MANY.streams, tokens, seconds: 2 * seconds, stagger: true };
  return {
    name: `streams${MANY.streams}`,
    parts: ['many'],
    kind: 'load',
    load: { ...load, 'warmup-seconds': 5, 'drain-seconds': 0 },
    interval: MANY.interval,
    warmSeconds: 0,
    windows: 1,
    watchesLoop: true,
  };
}

/**
 * All of a run, or the parts that --only names.
 * @param {Plan} plan
 */
export function scenariosOf(plan) {
  const all = [
    ...tokenScenarios(plan),
    ...requestScenarios(plan),
    ...firstTokenScenarios(plan),
    intervalScenario(plan),
    manyScenario(plan),
  ];
  return plan.only.length === 0 ? all : all.filter(({ parts }) => parts.some((part) => plan.only.includes(part)));
}

/**
 * A load in words.
 * @param {string} scenario
 * @param {{ tokens: number, intervalMilliseconds: number }} settings
 */
export function titleOf(scenario, { tokens, intervalMilliseconds }) {
  if (scenario === 'start') return 'Start, as seen by a client that asks every 20 ms';
  if (scenario === 'unstreamed') return 'Requests: 32 at a time, unstreamed, responses of 1 token';
  if (scenario === 'requests') return 'Requests: 32 streams, responses of 1 token';
  const [, kind = '', number = ''] = /^([a-z]+)(\d+)$/.exec(scenario) ?? [];
  const streams = `${Number(number).toLocaleString('en')} stream${number === '1' ? '' : 's'}`;
  const responses = `responses of ${tokens} tokens`;
  if (kind === 'first')
    return `First token: ${streams}, ${number === '1' ? 'responses of 2 tokens' : `${intervalMilliseconds} ms between tokens, responses of 32 tokens`}`;
  if (kind === 'interval') return `stream_interval ${number}: ${intervalMilliseconds} ms between tokens, ${responses}`;
  if (kind === 'streams') return `${streams}, ${MANY.interval} ms between tokens, ${responses}`;
  return `${streams}, ${kind === 'paced' ? `${intervalMilliseconds} ms between tokens` : 'full speed'}, ${responses}`;
}
