/** docs/benchmarks.md, put together from what the benchmarks have found. */
import { machineWords, wasBusy } from '../machine.mjs';
import { markdownTable } from '../markdown.mjs';

/**
 * What a chart shows; src/plot draws it.
 * @typedef {import('../../src/plot/chart.ts').Chart} Chart
 */

/**
 * Something that a benchmark has found: a sentence as the title, what it means, how to measure it, and one chart.
 * @typedef {object} Claim
 * @property {string} title
 * @property {string} text
 * @property {string} command
 * @property {string} load
 * @property {{ file: string, alt: string }} image in docs/benchmarks/
 */

/**
 * What a benchmark stores.
 * @typedef {object} Result
 * @property {import('../machine.mjs').Machine} machine
 * @property {string} command
 * @property {Claim[]} claims
 * @property {string} [summary] Markdown, above all claims
 * @property {Record<string, number>} [headline] for programs that read the page
 */

export const MOST_LINES = 150;

const INTRODUCTION = `# Benchmarks

What Conch costs: CPU time, memory and delay. The programs in [bench/](../bench/README.md) measured every figure and wrote this page.
Compare figures of one run only: machines and noise differ. CPU time is user and system time of all threads of the gateway.`;

/** @param {Claim} claim */
function claimText({ title, text, command, load, image }) {
  return [`## ${title}`, `${text} \`${command}\`: ${load}`, `![${image.alt}](benchmarks/${image.file})`];
}

/** @param {Result[]} results */
function runsTable(results) {
  const rows = results.map(({ command, machine }) => {
    const { begun, node, cores, model, loadBefore } = machine;
    const load = `${loadBefore.toFixed(1)}${wasBusy(machine) ? ', **busy**' : ''}`;
    return [`\`${command}\``, `${begun.slice(0, 16).replace('T', ' ')} UTC`, `${cores} × ${model}`, node, load];
  });
  return markdownTable([['command', 'date', 'machine', 'Node', 'load average before'], ...rows]);
}

/**
 * @param {Result[]} results
 * @returns {string}
 */
export function pageOf(results) {
  const busy = results.find(({ machine }) => wasBusy(machine));
  const headline = results.find((result) => result.headline !== undefined)?.headline;
  const parts = [
    INTRODUCTION,
    ...(headline === undefined ? [] : [`<!-- headline: ${JSON.stringify(headline)} -->`]),
    ...(busy === undefined ? [] : [machineWords(busy.machine)]),
    ...results.flatMap(({ summary }) => (summary === undefined ? [] : [summary])),
    ...results.flatMap(({ claims }) => claims.flatMap(claimText)),
    '## Runs',
    runsTable(results),
  ];
  const page = `${parts.join('\n\n')}\n`;
  const lines = page.split('\n').length - 1;
  if (lines > MOST_LINES)
    throw new Error(`docs/benchmarks.md would have ${lines} lines; at most ${MOST_LINES} are allowed.`);
  return page;
}
