/** The section of docs/benchmarks.md about the real tritonserver. */
import { markdownTable } from './gateway-page.mjs';
import { summarize, titleOf } from './report.mjs';

/** @param {import('./report.mjs').Report} report */
export function tritonPage(report) {
  const { date, machine, settings, runs } = report;
  const rows = summarize(runs).map(({ gateway, scenario, median }) => [
    titleOf(scenario, settings),
    gateway,
    median['microsecondsPerToken']?.toFixed(1) ?? '',
    median['tokensPerSecond']?.toFixed(0) ?? '',
    median['residentMegabytes'] === undefined ? '' : `${median['residentMegabytes'].toFixed(0)} MB`,
  ]);
  return `\`npm run bench -- --triton\` on ${date}: tritonserver 2.51 with a model that is imitated in Python, which is the limit of the tokens/s. Node ${machine.node},
${machine.cores} cores, medians of ${settings.rounds} rounds.

${markdownTable([['load', '', 'µs of CPU per token, gateway', 'tokens/s', 'RSS'], ...rows])}`;
}
