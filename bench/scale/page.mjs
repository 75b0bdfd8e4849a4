/** The section of docs/benchmarks.md, and its plots. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { shown } from './growth.mjs';

/** @import { Chapter, Measured, Row } from './chapter.mjs' */

const PLOTS = new URL('../../docs/benchmarks/', import.meta.url);
/** Of the build, which need not be there while this is checked. */
const DRAWING = new URL('../../dist/plot/chart.js', import.meta.url);

/**
 * @param {Chapter} chapter
 * @param {Row[]} rows
 */
export function tableOf({ first, columns }, rows) {
  const used = columns.filter(({ of }) => rows.some(({ figures }) => of(figures) !== undefined));
  const cells = rows.map(({ label, figures }) => [
    label,
    ...used.map(({ of, unit = '' }) => {
      const value = of(figures);
      return value === undefined ? '' : shown(value) + unit;
    }),
  ]);
  const head = [first, ...used.map(({ heading }) => heading)];
  const widths = head.map((text, at) => Math.max(3, text.length, ...cells.map((row) => row[at]?.length ?? 0)));
  /** @param {string[]} row */
  const line = (row) => `| ${row.map((text, at) => text.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n');
}

/**
 * When it was measured, and whether the machine had anything else to do.
 * @param {Measured['run']} run
 * @param {number} cores
 */
export function runWords({ begun, loadAverage }, cores) {
  const time = `Run of ${begun.slice(0, 16).replace('T', ' ')} UTC, load average before it ${loadAverage.toFixed(1)} on ${cores} cores`;
  const isBusy = loadAverage > cores / 4;
  return isBusy
    ? `${time}: **the machine was busy with other work, so these figures show the form and are not to be quoted.**`
    : `${time}.`;
}

/**
 * @param {Chapter} chapter
 * @param {Measured} measured
 * @param {number} cores
 */
export function chapterText(chapter, { run, rows }, cores) {
  const plots = Object.entries(chapter.charts(rows)).map(([name, { title }]) => `![${title}](benchmarks/${name}.svg)`);
  const parts = [
    `### ${chapter.title}`,
    `${chapter.load(rows)} ${runWords(run, cores)}`,
    tableOf(chapter, rows),
    chapter.sentences(rows).join(' '),
  ];
  return [...parts, plots.join('\n')].join('\n\n');
}

/**
 * @param {Chapter} chapter
 * @param {Row[]} rows
 */
export async function writePlots(chapter, rows) {
  const { drawChart } = await import(DRAWING.href);
  mkdirSync(PLOTS, { recursive: true });
  for (const [name, chart] of Object.entries(chapter.charts(rows))) {
    writeFileSync(new URL(`${name}.svg`, PLOTS), `${drawChart(chart)}\n`);
  }
}
