/** What a run through the real tritonserver says, for docs/benchmarks.md. */
import { conch, DIRECT } from '../contenders.mjs';
import { inRounds, summarize } from '../report.mjs';

/**
 * @import { Report } from '../report.mjs'
 * @import { Chart, Result } from './page.mjs'
 */

/**
 * @param {Report} report
 * @returns {{ result: Result & Report, charts: Record<string, Chart> }}
 */
export function tritonResult(report) {
  const { runs, settings } = report;
  const results = summarize(runs);
  const of = (/** @type {string} */ gateway, /** @type {string} */ scenario) =>
    results.find((result) => result.gateway === gateway && result.scenario === scenario)?.median ?? {};
  const streams = [...new Set(runs.flatMap(({ scenario }) => /^paced(\d+)$/.exec(scenario)?.[1] ?? []))]
    .map(Number)
    .toSorted((a, b) => a - b);
  const gateways = [...new Set(runs.map(({ gateway }) => gateway))];
  const most = `paced${streams.at(-1)}`;
  const { microsecondsPerToken: cost = Number.NaN, tokensPerSecond: rate = Number.NaN } = of(conch.name, most);
  const { tokensPerSecond: direct = Number.NaN } = of(DIRECT, most);
  const { firstTokenAdded: added = Number.NaN } = of(conch.name, 'first1');
  const title = 'Tokens per second through tritonserver, 10 ms between tokens';
  /** @type {Chart} */
  const chart = {
    title,
    x: { label: 'streams', scale: 'linear', names: streams.map(String) },
    y: { label: 'tokens/s', scale: 'linear' },
    kind: 'bars',
    series: gateways.map((gateway) => ({
      name: gateway,
      points: streams.map((count, index) => [index, Math.round(of(gateway, `paced${count}`)['tokensPerSecond'] ?? 0)]),
    })),
  };
  const claim = {
    title: `Through tritonserver, Conch streams ${((rate / direct) * 100).toFixed(0)} % of the tokens of direct gRPC`,
    text: `At ${streams.at(-1)} streams a token costs ${cost.toFixed(0)} µs: the model is imitated in Python, sends few tokens at a time and is the limit of the rate. The first token comes ${added.toFixed(2)} ms later than without a gateway.`,
    command: 'npm run bench -- --triton',
    load: `responses of ${settings.tokens} tokens, medians of ${inRounds(settings.rounds)}.`,
    image: { file: 'triton-rate.svg', alt: title },
  };
  return {
    result: { ...report, command: claim.command, claims: [claim] },
    charts: { 'triton-rate': chart },
  };
}
