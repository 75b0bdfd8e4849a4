/** What the benchmarks have found: one file for each in bench/results/, from which docs/benchmarks.md is written. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { pageOf } from './page/page.mjs';

/** @import { Chart, Result } from './page/page.mjs' */

/** In the order of the page. */
const KINDS = /** @type {const} */ (['gateway', 'triton', 'scale', 'footprint', 'first-token', 'flame']);
const RESULTS = new URL('results/', import.meta.url);
const PAGE = new URL('../docs/benchmarks.md', import.meta.url);
const IMAGES = new URL('../docs/benchmarks/', import.meta.url);
/** Of the build, which need not be there while this is checked. */
const DRAWING = new URL('../dist/plot/chart.js', import.meta.url);

/** @typedef {typeof KINDS[number]} Kind */

/** @param {Kind} kind */
const fileOf = (kind) => new URL(`${kind}.json`, RESULTS);

/**
 * What was stored last; undefined where nothing was.
 * @param {Kind} kind
 * @returns {any}
 */
export function storedResult(kind) {
  return existsSync(fileOf(kind)) ? JSON.parse(readFileSync(fileOf(kind), 'utf8')) : undefined;
}

/** Writes docs/benchmarks.md from all that is stored, and removes images that it no longer shows. */
export function writePage() {
  const page = pageOf(KINDS.flatMap((kind) => storedResult(kind) ?? []));
  writeFileSync(PAGE, page);
  for (const name of readdirSync(IMAGES)) if (!page.includes(`(benchmarks/${name})`)) rmSync(new URL(name, IMAGES));
}

/**
 * Stores a result, draws its charts and writes the page.
 * @param {Kind} kind
 * @param {Result & Record<string, unknown>} result
 * @param {Record<string, Chart>} [charts] by the names of their files, without .svg
 */
export async function saveResult(kind, result, charts = {}) {
  mkdirSync(RESULTS, { recursive: true });
  mkdirSync(IMAGES, { recursive: true });
  writeFileSync(fileOf(kind), `${JSON.stringify(result, undefined, 2)}\n`);
  const { drawChart } = await import(DRAWING.href);
  for (const [name, chart] of Object.entries(charts))
    writeFileSync(new URL(`${name}.svg`, IMAGES), `${drawChart(chart)}\n`);
  writePage();
}
