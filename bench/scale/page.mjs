/** The section of docs/benchmarks.md, and its plots. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { machineWords } from '../machine.mjs';
import { markdownTable } from '../markdown.mjs';
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
  return markdownTable([[first, ...used.map(({ heading }) => heading)], ...cells]);
}

/**
 * @param {Chapter} chapter
 * @param {Measured} measured
 */
export function chapterText(chapter, { machine, rows }) {
  const plots = Object.entries(chapter.charts(rows)).map(([name, { title }]) => `![${title}](benchmarks/${name}.svg)`);
  const parts = [
    `### ${chapter.title}`,
    `${chapter.load(rows)} ${machineWords(machine)}`,
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
