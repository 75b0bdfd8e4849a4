/** From single measurements to the medians that are shown. */

/** @typedef {{ gateway: string, scenario: string, median: Record<string, number>, range: Record<string, number[]> }} Summary */

/** @param {number[]} numbers */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/**
 * The median and the range of every figure, by gateway and scenario, in the order in which they were first measured.
 * @param {{ gateway: string, scenario: string, result: Record<string, number> }[]} runs
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

/** The columns of each scenario's table: heading, figure, digits, factor and unit. */
const COST = /** @type {const} */ ([
  ['CPU', 'cpuShare', 0, 100, '%'],
  ['RSS', 'residentMegabytes', 0, 1, ' MB'],
  ['tokens/s', 'tokensPerSecond', 0, 1, ''],
  ['first token p50', 'firstTokenP50', 2, 1, ' ms'],
  ['p99', 'firstTokenP99', 2, 1, ' ms'],
  ['upstream CPU', 'upstreamShare', 0, 100, '%'],
  ['client CPU', 'clientShare', 0, 100, '%'],
]);
const PER_TOKEN = /** @type {const} */ (['µs/token', 'microsecondsPerToken', 2, 1, '']);
/** @type {Record<string, readonly (readonly [string, string, number, number, string])[]>} */
const COLUMNS = {
  paced: [PER_TOKEN, ...COST],
  full: [PER_TOKEN, ...COST],
  requests: [['µs/request', 'microsecondsPerRequest', 0, 1, ''], ...COST],
  single: [
    ['first token added', 'firstTokenAdded', 2, 1, ' ms'],
    ['direct', 'firstTokenDirectP50', 2, 1, ' ms'],
    ['rate against direct', 'rateAgainstDirect', 1, 100, '%'],
    PER_TOKEN,
    ['RSS', 'residentMegabytes', 0, 1, ' MB'],
  ],
};

/**
 * @param {Summary} result
 * @param {readonly [string, string, number, number, string]} column
 */
function cell(result, [, name, digits, factor, unit]) {
  const value = result.median[name];
  return value === undefined ? '' : (value * factor).toFixed(digits) + unit;
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
 * @typedef {{ streams: number, tokens: number, intervalMilliseconds: number, rounds: number, seconds: number }} Load
 * @param {{ settings: Load, machine: { node: string, cores: number }, results: Summary[] }} report
 */
export function table({ settings, machine, results }) {
  const { streams, tokens, intervalMilliseconds, rounds, seconds } = settings;
  /** @type {Record<string, string>} */
  const titles = {
    paced: `Paced: ${streams} streams, ${intervalMilliseconds} ms between tokens, answers of ${tokens} tokens`,
    full: `Full speed: ${streams} streams, answers of ${tokens} tokens`,
    requests: `Requests: ${Math.min(32, streams)} streams, answers of 1 token`,
    single: `One stream, ${intervalMilliseconds} ms between tokens`,
  };
  const sections = [...new Set(results.map(({ scenario }) => scenario))].map((scenario) => {
    const columns = COLUMNS[scenario] ?? [];
    const rows = results
      .filter((result) => result.scenario === scenario)
      .map((result) => [result.gateway].concat(columns.map((column) => cell(result, column))));
    return `${titles[scenario]}\n${aligned([['', ...columns.map(([heading]) => heading)], ...rows])}\n`;
  });
  const head = `CPU time of the gateway process, median of ${rounds} rounds of ${seconds} s. Node ${machine.node}, ${machine.cores} cores.`;
  return `\n${head}\n\n${sections.join('\n')}`;
}
