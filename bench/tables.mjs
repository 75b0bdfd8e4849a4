/** A run as tables on the terminal. */
import { goalOf, linesOf, mostOf, valueOf, verdict } from './lines.mjs';
import { markdownTable } from './markdown.mjs';
import { BEHIND, BEHIND_WORDS, compare, inRounds, paceMark, summarize } from './report.mjs';
import { titleOf } from './scenarios.mjs';

/** @import { Report, Summary } from './report.mjs' */
/** @import { Line } from './lines.mjs' */

/** @typedef {readonly [heading: string, figure: string, digits: number, factor: number, unit: string]} Column */

/** @type {readonly Column[]} */
const COST = [
  ['CPU', 'cpuShare', 0, 100, '%'],
  ['RSS', 'residentMegabytes', 0, 1, ' MB'],
  ['RSS at most', 'peakMegabytes', 0, 1, ' MB'],
  ['tokens/s', 'tokensPerSecond', 0, 1, ''],
  ['tokens a read', 'tokensPerRead', 1, 1, ''],
  ['first token p50', 'firstTokenP50', 2, 1, ' ms'],
  ['p99', 'firstTokenP99', 2, 1, ' ms'],
  ['event loop late p99', 'loopDelayP99', 1, 1, ' ms'],
  ['of it own work', 'loopHeldP99', 1, 1, ' ms'],
  ['upstream CPU', 'upstreamShare', 0, 100, '%'],
  ['client CPU', 'clientShare', 0, 100, '%'],
];
/** @type {readonly Column[]} */
const ALL = [
  ['ready after', 'readyMilliseconds', 0, 1, ' ms'],
  ['RSS idle', 'idleMegabytes', 0, 1, ' MB'],
  ['added', 'firstTokenAdded', 2, 1, ' ms'],
  ['direct', 'firstTokenDirect', 2, 1, ' ms'],
  ['µs/token', 'microsecondsPerToken', 2, 1, ''],
  ['µs/request', 'microsecondsPerRequest', 0, 1, ''],
  ['of direct', 'rateAgainstDirect', 1, 100, '%'],
  ...COST,
];

/**
 * A ratio with its interval; "noise" where the two cannot be told apart.
 * @param {Report} report
 * @param {Line} line
 * @param {{ gateway: string, against: string }} pair
 */
function ratioCell({ runs, settings }, line, { gateway, against }) {
  const { scenario, figure } = line;
  const found = compare(runs, { scenario, figure, gateway, against });
  if (found === undefined) return '';
  const { ratio, low, high } = found;
  const mark = paceMark(runs, scenario, [gateway, against], settings);
  const most = mostOf(line, against);
  const goal = most === undefined ? '' : `, goal ${most}: ${ratio <= most ? 'met' : 'missed'}`;
  const noise = low <= 1 && high >= 1 ? ', noise' : '';
  return `${ratio.toFixed(2)}${mark} (${low.toFixed(2)} to ${high.toFixed(2)}${noise})${goal}`;
}

/**
 * Every line of the report, the first gateway against each of the others.
 * @param {Report} report
 */
export function comparisonTable(report) {
  const { runs, settings, machine } = report;
  const [first = '', ...others] = [...new Set(runs.map(({ gateway }) => gateway))];
  const display = (/** @type {Line} */ line, /** @type {string} */ gateway) =>
    valueOf(runs, line, gateway)?.toFixed(line.digits) ?? '';
  const rows = linesOf(runs)
    .filter((line) => valueOf(runs, line, first) !== undefined)
    .map((line) => [
      `${line.title} (${line.unit})`,
      display(line, first),
      [goalOf(line), verdict(line, valueOf(runs, line, first))].filter((word) => word !== '').join(': '),
      ...others.flatMap((against) => [display(line, against), ratioCell(report, line, { gateway: first, against })]),
    ]);
  const heading = ['', first, 'goal', ...others.flatMap((name) => [name, 'ratio (95 % interval)'])];
  const body = markdownTable([heading, ...rows]);
  const windows = settings.windows === 1 ? 'one window' : `${settings.windows} windows`;
  const head = `CPU time of the gateway's processes; medians of ${inRounds(settings.rounds)}, ${windows} in each. A ratio is the first gateway's figure as a share of the other's. Node ${machine.node}, ${machine.cores} cores.`;
  return `${head}\n\n${body}\n${body.includes(BEHIND) ? `\n${BEHIND_WORDS}\n` : ''}`;
}

/**
 * @param {Summary} result
 * @param {Column} column
 */
function cell(result, [, name, digits, factor, unit]) {
  const value = result.median[name];
  return value === undefined || Number.isNaN(value) ? '' : (value * factor).toFixed(digits) + unit;
}

/**
 * Everything that was measured, a table for each load.
 * @param {Report} report
 */
export function detailTables({ settings, runs }) {
  const results = summarize(runs);
  const scenarios = [...new Set(results.map(({ scenario }) => scenario))];
  return scenarios
    .map((scenario) => {
      const own = results.filter((result) => result.scenario === scenario);
      const columns = ALL.filter((column) => own.some((result) => cell(result, column) !== ''));
      const rows = own.map((result) => [result.gateway, ...columns.map((column) => cell(result, column))]);
      return `${titleOf(scenario, settings)}\n\n${markdownTable([['', ...columns.map(([name]) => name)], ...rows])}\n`;
    })
    .join('\n');
}
