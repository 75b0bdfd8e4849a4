/** From single measurements to medians, ratios and the table on the terminal. */

/**
 * @typedef {Record<string, number>} Figures
 * @typedef {{ round: number, gateway: string, scenario: string, result: Figures }} Run
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

/**
 * How many times cheaper the first of each pair is than the second: the median of the pairs, as both of one pair saw the same machine.
 * @param {Figures[][]} pairs
 * @param {string} figure
 */
export function pairedRatio(pairs, figure) {
  return median(pairs.map(([ours, theirs]) => (theirs?.[figure] ?? Number.NaN) / (ours?.[figure] ?? Number.NaN)));
}

/**
 * How many times cheaper a gateway is than another, by the rounds that both were measured in. Undefined where there is none.
 * @param {Run[]} runs
 * @param {{ scenario: string, figure: string, gateway: string, against: string }} what
 */
export function ratioOf(runs, { scenario, figure, gateway, against }) {
  const of = (/** @type {string} */ name) => runs.filter((run) => run.scenario === scenario && run.gateway === name);
  const pairs = of(gateway).flatMap(({ round, result }) => {
    const other = of(against).find((run) => run.round === round);
    return other?.result[figure] === undefined || result[figure] === undefined ? [] : [[result, other.result]];
  });
  return pairs.length === 0 ? undefined : pairedRatio(pairs, figure);
}

const LEAST_PACE = 0.95;
/** Stands behind a ratio of two of which one fell behind: fewer tokens share its wake-ups, and their costs are of different loads. */
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
 * The figure that a scenario is about.
 * @param {string} scenario
 */
export function costFigure(scenario) {
  if (scenario === 'requests') return 'microsecondsPerRequest';
  return scenario === 'first' ? 'firstTokenAdded' : 'microsecondsPerToken';
}

/** @typedef {readonly [heading: string, figure: string, digits: number, factor: number, unit: string]} Column */

/** @type {readonly Column[]} */
const COST = [
  ['CPU', 'cpuShare', 0, 100, '%'],
  ['RSS', 'residentMegabytes', 0, 1, ' MB'],
  ['tokens/s', 'tokensPerSecond', 0, 1, ''],
  ['tokens a read', 'tokensPerRead', 1, 1, ''],
  ['first token p50', 'firstTokenP50', 2, 1, ' ms'],
  ['p99', 'firstTokenP99', 2, 1, ' ms'],
  ['upstream CPU', 'upstreamShare', 0, 100, '%'],
  ['client CPU', 'clientShare', 0, 100, '%'],
];
/** @type {readonly Column[]} */
const START = [
  ['ready after', 'readyMilliseconds', 0, 1, ' ms'],
  ['RSS', 'idleMegabytes', 0, 1, ' MB'],
];
/** @type {readonly Column[]} */
const FIRST = [
  ['first token added', 'firstTokenAdded', 2, 1, ' ms'],
  ['direct', 'firstTokenDirect', 2, 1, ' ms'],
];

/**
 * The columns of a scenario's table: heading, figure, digits, factor and unit.
 * @param {string} scenario
 * @returns {readonly Column[]}
 */
function columnsOf(scenario) {
  if (scenario === 'start') return START;
  if (scenario === 'first') return FIRST;
  if (scenario === 'requests') return [['µs/request', 'microsecondsPerRequest', 0, 1, ''], ...COST];
  const rate = /** @type {const} */ (['rate against direct', 'rateAgainstDirect', 1, 100, '%']);
  return [['µs/token', 'microsecondsPerToken', 2, 1, ''], ...(scenario === 'paced1' ? [rate] : []), ...COST];
}

/**
 * @param {string} scenario
 * @param {{ tokens: number, intervalMilliseconds: number }} settings
 */
export function titleOf(scenario, { tokens, intervalMilliseconds }) {
  if (scenario === 'start') return 'Start, as seen by a client that asks every 20 ms';
  if (scenario === 'first') return 'First token: one stream, answers of 2 tokens';
  if (scenario === 'requests') return 'Requests: 32 streams, answers of 1 token';
  const [, pace = '', streams = ''] = /^([a-z]+)(\d+)$/.exec(scenario) ?? [];
  const speed = pace === 'paced' ? `${intervalMilliseconds} ms between tokens` : 'full speed';
  return `${streams} stream${streams === '1' ? '' : 's'}, ${speed}, answers of ${tokens} tokens`;
}

/**
 * @param {Summary} result
 * @param {Column} column
 */
function cell(result, [, name, digits, factor, unit]) {
  const value = result.median[name];
  return value === undefined || Number.isNaN(value) ? '' : (value * factor).toFixed(digits) + unit;
}

/** @param {string[][]} rows the first is the heading */
function aligned(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((text, column) => (column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)))
        .join('   '),
    )
    .join('\n');
}

/**
 * @typedef {{ tokens: number, intervalMilliseconds: number, rounds: number, seconds: number }} Settings
 * @typedef {{ date: string, settings: Settings, machine: import('./machine.mjs').Machine, runs: Run[] }} Report
 */

/**
 * @param {Report} report
 * @param {string} against what the ratios are to
 */
export function table({ settings, machine, runs }, against) {
  const results = summarize(runs);
  const sections = [...new Set(results.map(({ scenario }) => scenario))].map((scenario) => {
    const columns = columnsOf(scenario);
    const rows = results
      .filter((result) => result.scenario === scenario)
      .map((result) => {
        const { gateway } = result;
        const figure = costFigure(scenario);
        const ratio = figure.startsWith('micro') ? ratioOf(runs, { scenario, figure, gateway, against }) : undefined;
        const mark = paceMark(runs, scenario, [gateway, against], settings);
        const shown = ratio === undefined ? '' : ratio.toFixed(1) + mark;
        return [gateway, shown, ...columns.map((column) => cell(result, column))];
      });
    const heading = ['', 'times cheaper', ...columns.map(([name]) => name)];
    return `${titleOf(scenario, settings)}\n${aligned([heading, ...rows])}\n`;
  });
  const head = `CPU time of the gateway process, median of ${inRounds(settings.rounds)}; cheaper than the ${against}. Node ${machine.node}, ${machine.cores} cores.`;
  const body = sections.join('\n');
  return `\n${head}\n\n${body}${body.includes(BEHIND) ? `\n${BEHIND_WORDS}\n` : ''}`;
}
