/** A chapter as a table, and as a claim of docs/benchmarks.md. */
import { markdownTable } from '../markdown.mjs';
import { display } from './growth.mjs';

/** @import { Chapter, Row } from './chapter.mjs' */

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
      return value === undefined ? '' : display(value) + unit;
    }),
  ]);
  return markdownTable([[first, ...used.map(({ heading }) => heading)], ...cells]);
}

/**
 * A chapter as a claim of docs/benchmarks.md, with its first chart.
 * @param {Chapter} chapter
 * @param {Row[]} rows
 */
export function chapterClaim(chapter, rows) {
  const [file = ''] = Object.keys(chapter.charts(rows));
  const chart = chapter.charts(rows)[file];
  const claim = {
    title: chapter.title,
    text: chapter.sentences(rows).join(' '),
    command: `npm run bench:scale -- --only ${chapter.name}`,
    load: chapter.load(rows),
    image: { file: `${file}.svg`, alt: chart?.title ?? '' },
  };
  return { claim, charts: chart === undefined ? {} : { [file]: chart } };
}
