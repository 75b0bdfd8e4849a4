/** The section of docs/benchmarks.md about the real tritonserver. */
import { machineWords } from './machine.mjs';
import { markdownTable } from './markdown.mjs';
import { inRounds, summarize, titleOf } from './report.mjs';

/** @param {import('./report.mjs').Report} report */
export function tritonPage(report) {
  const { machine, settings, runs } = report;
  const results = summarize(runs);
  const gateways = [...new Set(runs.map(({ gateway }) => gateway))];
  const cell = (/** @type {string} */ scenario, /** @type {string} */ gateway) => {
    const found = results.find((result) => result.scenario === scenario && result.gateway === gateway)?.median ?? {};
    const { microsecondsPerToken: cost, tokensPerSecond: rate = Number.NaN } = found;
    return `${cost === undefined ? '' : `${cost.toFixed(0)} µs, `}${rate.toFixed(0)} tokens/s`;
  };
  const rows = [...new Set(runs.map(({ scenario }) => scenario))].map((scenario) => [
    titleOf(scenario, settings),
    ...gateways.map((gateway) => cell(scenario, gateway)),
  ]);
  return `\`npm run bench -- --triton\`. ${machineWords(machine)}

tritonserver 2.51, whose model is imitated in Python and is the limit of the tokens/s; so few tokens keep no gateway warm. CPU time of the gateway per
token, medians of ${inRounds(settings.rounds)}, answers of ${settings.tokens} tokens.

${markdownTable([['', ...gateways], ...rows])}`;
}
