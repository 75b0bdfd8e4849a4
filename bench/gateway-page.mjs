/** The section of docs/benchmarks.md about the gateway: all of it is made from one run. */
import { baseline, conch, DIRECT } from './contenders.mjs';
import { goalRows, headline, LEAST_RATE, MOST_FIRST_TOKEN_ADDED, ratiosOf } from './goals.mjs';
import { machineWords } from './machine.mjs';
import { markdownTable } from './markdown.mjs';
import { BEHIND, BEHIND_WORDS, costFigure, inRounds, paceMark, ratioOf, rounded, summarize } from './report.mjs';

/** @import { Report, Run, Summary } from './report.mjs' */

/**
 * @param {number | undefined} value
 * @param {number} digits
 */
const shown = (value, digits, unit = '') => (value === undefined ? '' : value.toFixed(digits) + unit);

/** @param {number} value a ratio */
const times = (value) => value.toFixed(value < 10 ? 1 : 0);

/**
 * @param {Report} report
 * @param {string} scenario
 * @param {string} gateway
 */
function costCell({ runs, settings }, scenario, gateway) {
  const figure = costFigure(scenario);
  const [summary] = summarize(runs.filter((run) => run.scenario === scenario && run.gateway === gateway));
  const cost = summary?.median[figure];
  if (cost === undefined) return '';
  const ratio = ratioOf(runs, { scenario, figure, gateway, against: baseline.name });
  const digits = cost < 100 ? (cost < 10 ? 2 : 1) : 0;
  if (gateway === baseline.name || ratio === undefined) return cost.toFixed(digits);
  return `${cost.toFixed(digits)} (${times(ratio)}×${paceMark(runs, scenario, [gateway, baseline.name], settings)})`;
}

/** @param {Report} report */
function costTable(report) {
  const { runs } = report;
  const scenarios = ['full1', 'full32', 'full256', 'paced1', 'paced32', 'paced256', 'requests'];
  const gateways = [...new Set(runs.map(({ gateway }) => gateway))].filter((name) => name !== DIRECT);
  return markdownTable([
    ['', 'full, 1 stream', 'full, 32', 'full, 256', 'paced, 1 stream', 'paced, 32', 'paced, 256', 'per request'],
    ...gateways.map((gateway) => [gateway, ...scenarios.map((scenario) => costCell(report, scenario, gateway))]),
  ]);
}

/** @param {Report} report */
function loadTable({ runs }) {
  const results = summarize(runs);
  const of = (/** @type {string} */ gateway, /** @type {string} */ scenario) =>
    results.find((result) => result.gateway === gateway && result.scenario === scenario)?.median ?? {};
  return markdownTable([
    [
      '',
      'tokens/s, full, 256',
      'tokens a read',
      'tokens/s, paced, 256',
      'tokens/s, paced, 1',
      'against direct',
      'first token added',
      'RSS, idle',
      'RSS, paced, 256',
    ],
    ...[...new Set(runs.map(({ gateway }) => gateway))].map((gateway) => [
      gateway,
      shown(of(gateway, 'full256')['tokensPerSecond'], 0),
      shown(of(gateway, 'full256')['tokensPerRead'], 1),
      shown(of(gateway, 'paced256')['tokensPerSecond'], 0),
      shown(of(gateway, 'paced1')['tokensPerSecond'], 1),
      shown((of(gateway, 'paced1')['rateAgainstDirect'] ?? Number.NaN) * 100, 1, ' %').replace('NaN %', ''),
      shown(of(gateway, 'first')['firstTokenAdded'], 2, ' ms'),
      shown(of(gateway, 'start')['idleMegabytes'], 0, ' MB'),
      shown(of(gateway, 'paced256')['residentMegabytes'], 0, ' MB'),
    ]),
  ]);
}

/** @param {boolean} met */
const verdict = (met) => (met ? 'met' : '**missed**');

/** @param {Report} report */
function goals({ runs, settings }) {
  const ratios = ratiosOf(runs);
  if (ratios === undefined) return '';
  const { ttft_added_ms: added, throughput_vs_direct: rate } = headline(runs);
  const table = markdownTable([
    ['times cheaper than', 'full speed, 256 streams', 'paced, 256 streams', 'fixed per request'],
    ...goalRows(ratios).map(({ name, derived, cells }) => [
      `${name}, ${derived ? 'derived' : 'measured in this run'}`,
      ...cells.map(
        ({ goal, scenario, reached, met }) =>
          `goal ${goal}, reached ${times(reached)}${paceMark(runs, scenario, [conch.name, baseline.name], settings)}: ${verdict(met)}`,
      ),
    ]),
  ]);
  return `${table}

- Time to first token at one stream: at most ${MOST_FIRST_TOKEN_ADDED} ms added; ${added.toFixed(2)} ms: ${verdict(added <= MOST_FIRST_TOKEN_ADDED)}.
- Throughput at one paced stream: at least ${LEAST_RATE * 100} % of direct gRPC; ${(rate * 100).toFixed(1)} %: ${verdict(rate >= LEAST_RATE)}.

"Derived": that gateway did not run here. It is taken to cost as much more or less than the ${baseline.name} as it did when both were measured side by side.`;
}

/** @param {Report} report */
export function gatewayPage(report) {
  const { machine, settings, runs } = report;
  const { tokens, intervalMilliseconds, rounds, seconds } = settings;
  const costs = costTable(report);
  return `<!-- headline: ${JSON.stringify(rounded(headline(runs)))} -->

\`npm run bench\`. ${machineWords(machine)}

Medians of ${inRounds(rounds)} with fresh processes in turn, windows of ${seconds} s after a warm-up. Answers of ${tokens} tokens, an event each. "Full": the token server sends
as fast as it can. "Paced": ${intervalMilliseconds} ms between the tokens of a stream, as a model does.

CPU time of the gateway's process in µs per token (per request: answers of one token, 32 at a time), in brackets how many times cheaper than the
${baseline.name} (bench/grpcjs-gateway.mjs) in the same round:

${costs}${costs.includes(BEHIND) ? `\n\n${BEHIND_WORDS}` : ''}

The load that was carried, and what else it took:

${loadTable(report)}

### Goals

${conch.name}:

${goals(report)}`;
}
