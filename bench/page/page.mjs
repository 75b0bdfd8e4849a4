/** docs/benchmarks.md, put together from what the benchmarks have found. */
import { machineWords, wasBusy } from '../machine.mjs';

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

CPU time, memory and delay of Conch. The programs in [bench/](../bench/README.md) measured every figure and wrote this
page. Compare figures of one run only: machines and noise differ. CPU time is user and system time of all threads of
the gateway. Measure your own machine with \`npm run bench\`.`;

const MOST_COLUMNS = 120;

/**
 * A paragraph in lines that fit the page; a code span stays in one line.
 * @param {string} text
 */
function wrapped(text) {
  const lines = [''];
  for (const word of text.match(/`[^`]*`\S*|\S+/g) ?? []) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= MOST_COLUMNS) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

/**
 * A summary has a paragraph and a table, whose rows stay as they are.
 * @param {string} summary
 */
function wrappedSummary(summary) {
  const parts = summary.split('\n\n');
  return parts.map((part) => (part.startsWith('|') ? part : wrapped(part))).join('\n\n');
}

/** @param {Claim} claim */
function claimText({ title, text, command, load, image }) {
  const words = wrapped(`${text} \`${command}\`: ${load}`);
  return [`## ${title}`, `${words}\n![${image.alt}](benchmarks/${image.file})`];
}

/** @param {Result[]} results */
function runsList(results) {
  const items = results.map(({ command, machine }) => {
    const { started, node, cores, model, loadBefore } = machine;
    const load = `load average ${loadBefore.toFixed(1)} before it${wasBusy(machine) ? ' (**busy**)' : ''}`;
    const when = `${started.slice(0, 16).replace('T', ' ')} UTC`;
    return `- \`${command}\`\n  ${when}, ${cores} × ${model}, Node ${node}, ${load}`;
  });
  return items.join('\n');
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
    ...(busy === undefined ? [] : [wrapped(machineWords(busy.machine))]),
    ...results.flatMap(({ summary }) => (summary === undefined ? [] : [wrappedSummary(summary)])),
    ...results.flatMap(({ claims }) => claims.flatMap(claimText)),
    '## Runs',
    runsList(results),
  ];
  const page = `${parts.join('\n\n')}\n`;
  const lines = page.split('\n').length - 1;
  if (lines > MOST_LINES)
    throw new Error(`docs/benchmarks.md would have ${lines} lines; at most ${MOST_LINES} are allowed.`);
  return page;
}
