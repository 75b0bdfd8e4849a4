/** The working tree against another commit: both fresh in every round, side by side, loaded in turn. */
import { conch } from './contenders.mjs';
import { markdownTable } from './markdown.mjs';
import { buildOfRef } from './other-ref.mjs';
import { alternatingPairs, warmUp } from './pairs.mjs';
import { median } from './report.mjs';
import { withFresh } from './session.mjs';

/**
 * @import { Contender } from './contenders.mjs'
 * @import { Figures, Load } from './measure.mjs'
 * @typedef {{ name: string, figure: string, load: Load, interval: number, warmupSeconds: number, pairs: number }} Scenario
 * @typedef {{ scenario: string, unit: string, tree: number, ref: number, ratio: number, low: number, high: number, pairs: number }} Comparison
 */

const PER_REQUEST = 'microsecondsPerRequest';
const PER_TOKEN = 'microsecondsPerToken';
const requests = { streams: 32, tokens: 1, seconds: 1.2, 'warmup-seconds': 0.4 };
const streams = { streams: 256, tokens: 128, seconds: 1, 'warmup-seconds': 0.4 };
const paced = { ...streams, seconds: 1.28, 'warmup-seconds': 0.7, 'drain-seconds': 0 };

/** @type {Scenario[]} */
const SCENARIOS = [
  {
    name: 'request, unstreamed',
    figure: PER_REQUEST,
    load: { ...requests, unstreamed: true },
    interval: 0,
    warmupSeconds: 2.5,
    pairs: 4,
  },
  { name: 'request, streamed', figure: PER_REQUEST, load: requests, interval: 0, warmupSeconds: 1, pairs: 3 },
  { name: 'token, full speed', figure: PER_TOKEN, load: streams, interval: 0, warmupSeconds: 2, pairs: 3 },
  { name: 'token, paced', figure: PER_TOKEN, load: paced, interval: 10, warmupSeconds: 0.5, pairs: 3 },
];

/**
 * @param {string} ref
 * @param {{ rounds: number, only: string | undefined, say: (line: string) => void }} options
 */
export async function measureAgainst(ref, { rounds, only, say }) {
  const { commit, script } = await buildOfRef(ref, say);
  const contenders = [
    { ...conch, name: 'working tree' },
    { ...conch, name: commit, script },
  ];
  const scenarios = SCENARIOS.filter(({ name }) => only === undefined || PARTS[only]?.test(name));
  /** @type {Map<string, Figures[][]>} */
  const found = new Map(scenarios.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    // In every second round the other one is started, and loaded, first.
    const order = round % 2 === 1 ? contenders : contenders.toReversed();
    for (const [name, pairs] of await measureRound(order, scenarios)) {
      const asNamed = round % 2 === 1 ? pairs : pairs.map((pair) => pair.toReversed());
      found.get(name)?.push(...asNamed);
    }
    const { ratio } = comparisons(found)[0] ?? { ratio: Number.NaN };
    say(`round ${round} of ${rounds}: ${scenarios[0]?.name} ×${ratio.toFixed(3)} so far`);
  }
  return { commit, comparisons: comparisons(found) };
}

/** What --only names, among the scenarios. @type {Readonly<Record<string, RegExp>>} */
const PARTS = { requests: /^request/, full: /full/, paced: /paced/ };

/**
 * @param {Contender[]} order
 * @param {Scenario[]} scenarios
 */
function measureRound(order, scenarios) {
  return withFresh(order, 0, async ({ gateways, changeInterval }) => {
    /** @type {[string, Figures[][]][]} */
    const found = [];
    for (const { name, load, interval, warmupSeconds, pairs } of scenarios) {
      changeInterval(interval);
      const { streams: lanes, tokens, unstreamed = false } = load;
      const limits = { cpuSeconds: warmupSeconds, mostSeconds: 4 * warmupSeconds };
      await warmUp(gateways, { streams: lanes, tokens, flags: { unstreamed }, ...limits });
      found.push([name, await alternatingPairs(gateways, load, { pairs })]);
    }
    return found;
  });
}

/**
 * @param {Map<string, Figures[][]>} found
 * @returns {Comparison[]}
 */
function comparisons(found) {
  return SCENARIOS.flatMap(({ name, figure }) => {
    const pairs = found.get(name);
    return pairs === undefined ? [] : [compared(name, figure, pairs)];
  });
}

/**
 * What the working tree costs, as a share of what the other costs: the median of all pairs, and between which bounds it is.
 * @param {string} scenario
 * @param {string} figure
 * @param {Figures[][]} pairs the working tree's figures and the other's
 * @returns {Comparison}
 */
export function compared(scenario, figure, pairs) {
  const of = (/** @type {number} */ place) => pairs.map((pair) => pair[place]?.[figure] ?? Number.NaN);
  const [tree, ref] = [of(0), of(1)];
  const ratios = tree.map((cost, index) => cost / (ref[index] ?? Number.NaN)).toSorted((a, b) => a - b);
  const skipped = ranksOutside(ratios.length);
  return {
    scenario,
    unit: figure === PER_REQUEST ? 'µs/request' : 'µs/token',
    tree: median(tree),
    ref: median(ref),
    ratio: median(ratios),
    low: ratios[skipped] ?? Number.NaN,
    high: ratios[ratios.length - 1 - skipped] ?? Number.NaN,
    pairs: ratios.length,
  };
}

/**
 * How many of the smallest and of the largest values stand outside an interval that holds the true median in 95 of 100 cases, whatever the
 * values' distribution: by the binomial distribution of how many lie below it.
 * @param {number} count
 */
export function ranksOutside(count) {
  let share = 0.5 ** count;
  let below = share;
  let rank = 0;
  while (below <= 0.025) {
    share *= (count - rank) / (rank + 1);
    below += share;
    rank++;
  }
  return Math.max(0, rank - 1);
}

/**
 * @param {string} commit
 * @param {Comparison[]} found
 */
export function againstTable(commit, found) {
  const rows = found.map(({ scenario, unit, tree, ref, ratio, low, high, pairs }) => [
    `${scenario} (${unit})`,
    tree.toPrecision(3),
    ref.toPrecision(3),
    ratio.toFixed(3),
    `${low.toFixed(3)} to ${high.toFixed(3)}`,
    String(pairs),
    low > 1 ? 'dearer' : high < 1 ? 'cheaper' : 'within the noise',
  ]);
  const heading = ['CPU time', 'working tree', commit, 'ratio', '95 % interval', 'pairs', ''];
  return `${markdownTable([heading, ...rows])}\n`;
}
