/** What the gateway is meant to reach against others, and what it reached. */
import { baseline, conch } from './contenders.mjs';
import { medianOf, ratioOf } from './report.mjs';

/** @import { Run } from './report.mjs' */

const GOAL_NAMES = /** @type {const} */ (['full', 'paced', 'requests']);

/** @typedef {typeof GOAL_NAMES[number]} GoalName */

/** Which measurement each goal is about. */
const MEASURED = /** @type {const} */ ({
  full: { scenario: 'full256', figure: 'microsecondsPerToken' },
  paced: { scenario: 'paced256', figure: 'microsecondsPerToken' },
  requests: { scenario: 'requests', figure: 'microsecondsPerRequest' },
});

/**
 * Costs in µs that were once measured side by side, as ranges, and how many times cheaper Conch is meant to be. The grpc-js gateway is measured
 * again in every run; the others are taken to cost as much more or less than it as they did then.
 * @type {{ name: string, costs: Record<GoalName, number[]>, goals: Record<GoalName, number> }[]}
 */
const PEERS = [
  {
    name: 'openai_trtllm (Rust)',
    costs: { full: [7.4, 8.5], paced: [18.8, 21.9], requests: [293] },
    goals: { full: 5, paced: 1.5, requests: 3 },
  },
  {
    name: "Triton's Python frontend",
    costs: { full: [33, 37], paced: [58, 60], requests: [738] },
    goals: { full: 20, paced: 4, requests: 8 },
  },
  {
    name: baseline.name,
    costs: { full: [33, 44], paced: [39, 44], requests: [322] },
    goals: { full: 20, paced: 3, requests: 4 },
  },
];

export const MOST_FIRST_TOKEN_ADDED = 0.2;
export const LEAST_RATE = 0.98;

/** @param {number[]} range */
const middle = (range) => (Math.min(...range) + Math.max(...range)) / 2;

/**
 * How many times cheaper Conch is than each peer: measured for the baseline, derived from it for the others.
 * @param {Record<GoalName, number>} againstBaseline
 */
export function goalRows(againstBaseline) {
  const reference = PEERS.find(({ name }) => name === baseline.name)?.costs;
  return PEERS.map(({ name, costs, goals }) => ({
    name,
    derived: name !== baseline.name,
    cells: GOAL_NAMES.map((goal) => {
      const reached = againstBaseline[goal] * (middle(costs[goal]) / middle(reference?.[goal] ?? []));
      return { goal: goals[goal], scenario: MEASURED[goal].scenario, reached, met: reached >= goals[goal] };
    }),
  }));
}

/**
 * Conch against the baseline in one run. Undefined where one of them was not measured.
 * @param {Run[]} runs
 * @returns {Record<GoalName, number> | undefined}
 */
export function ratiosOf(runs) {
  const [full, paced, requests] = GOAL_NAMES.map((goal) =>
    ratioOf(runs, { ...MEASURED[goal], gateway: conch.name, against: baseline.name }),
  );
  return full && paced && requests ? { full, paced, requests } : undefined;
}

/**
 * The figures of one run that others build on, by the names that `--quick` prints.
 * @param {Run[]} runs
 */
export function headline(runs) {
  const of = (/** @type {string} */ scenario, /** @type {string} */ figure) =>
    medianOf(
      runs.filter((run) => run.gateway === conch.name && run.scenario === scenario).map(({ result }) => result),
      figure,
    );
  const ratios = ratiosOf(runs);
  return {
    paced256_vs_grpcjs: ratios?.paced ?? Number.NaN,
    full256_vs_grpcjs: ratios?.full ?? Number.NaN,
    ttft_added_ms: of('first', 'firstTokenAdded'),
    throughput_vs_direct: of('paced1', 'rateAgainstDirect'),
    us_per_token_paced256: of('paced256', 'microsecondsPerToken'),
    us_per_request: of('requests', 'microsecondsPerRequest'),
  };
}
