/** From single measurements to medians and ratios. */

/**
 * @typedef {Record<string, number>} Figures
 * @typedef {{ round: number, window: number, gateway: string, scenario: string, result: Figures }} Run
 * @typedef {{ gateway: string, scenario: string, median: Figures, range: Record<string, number[]> }} Summary
 */

/** @param {number[]} numbers */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/**
 * Figures to as many digits as they are worth.
 * @param {Figures} figures
 * @returns {Figures}
 */
export function rounded(figures) {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toPrecision(4))]));
}

/** @param {number} count */
export const inRounds = (count) => (count === 1 ? 'one round' : `${count} rounds`);

/**
 * @param {Figures[]} list
 * @param {string} figure
 */
export function medianOf(list, figure) {
  return median(list.map((figures) => figures[figure] ?? Number.NaN));
}

/** @typedef {{ ratio: number, low: number, high: number, pairs: number }} Comparison what the first costs as a share of the other, and its 95 % interval */

/**
 * A figure of a gateway as a share of another's: the median of all pairs of windows, as both of one pair saw the same machine. Undefined where there
 * is none.
 * @param {Run[]} runs
 * @param {{ scenario: string, figure: string, gateway: string, against: string }} what
 * @returns {Comparison | undefined}
 */
export function compare(runs, { scenario, figure, gateway, against }) {
  const of = (/** @type {string} */ name) => runs.filter((run) => run.scenario === scenario && run.gateway === name);
  const others = of(against);
  const ratios = of(gateway)
    .flatMap(({ round, window, result }) => {
      const other = others.find((run) => run.round === round && run.window === window)?.result[figure];
      const own = result[figure];
      return own === undefined || other === undefined ? [] : [own / other];
    })
    .toSorted((a, b) => a - b);
  if (ratios.length === 0) return undefined;
  const skipped = ranksOutside(ratios.length);
  return {
    ratio: median(ratios),
    low: ratios[skipped] ?? Number.NaN,
    high: ratios[ratios.length - 1 - skipped] ?? Number.NaN,
    pairs: ratios.length,
  };
}

/**
 * How many of the smallest and of the largest values are outside an interval that holds the true median in 95 of 100 cases, whatever the
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

const LEAST_PACE = 0.95;
/** Marks a ratio of two of which one fell behind: fewer tokens share its wake-ups, and their costs are of different loads. */
export const BEHIND = '†';
export const BEHIND_WORDS = `${BEHIND} One of the two carried less than ${LEAST_PACE * 100} % of the paced tokens: the ratio is of different loads.`;

/**
 * @param {Run[]} runs
 * @param {string} scenario
 * @param {string[]} gateways
 * @param {{ intervalMilliseconds: number }} settings
 */
export function paceMark(runs, scenario, gateways, { intervalMilliseconds }) {
  const [, streams] = /^paced(\d+)$/.exec(scenario) ?? [];
  if (streams === undefined) return '';
  const least = LEAST_PACE * Number(streams) * (1000 / intervalMilliseconds);
  const isBehind = gateways.some((gateway) => {
    const found = runs.filter((run) => run.scenario === scenario && run.gateway === gateway);
    return (
      medianOf(
        found.map(({ result }) => result),
        'tokensPerSecond',
      ) < least
    );
  });
  return isBehind ? BEHIND : '';
}

/**
 * The median and the range of every figure, by gateway and scenario, in the order in which they were first measured.
 * @param {Run[]} runs
 * @returns {Summary[]}
 */
export function summarize(runs) {
  /** @type {Map<string, { gateway: string, scenario: string, figures: Map<string, number[]> }>} */
  const groups = new Map();
  for (const { gateway, scenario, result } of runs) {
    const key = `${scenario} ${gateway}`;
    const group = groups.get(key) ?? { gateway, scenario, figures: new Map() };
    groups.set(key, group);
    for (const [name, number] of Object.entries(result)) {
      group.figures.set(name, [...(group.figures.get(name) ?? []), number]);
    }
  }
  return [...groups.values()].map(({ gateway, scenario, figures }) => ({
    gateway,
    scenario,
    median: Object.fromEntries([...figures].map(([name, numbers]) => [name, median(numbers)])),
    range: Object.fromEntries(
      [...figures].map(([name, numbers]) => [name, [Math.min(...numbers), Math.max(...numbers)]]),
    ),
  }));
}

/**
 * @typedef {{ tokens: number, intervalMilliseconds: number, rounds: number, windows: number, seconds: number }} Settings
 * @typedef {{ settings: Settings, machine: import('./machine.mjs').Machine, runs: Run[] }} Report
 */
