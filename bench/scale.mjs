/**
 * What it costs to have more of everything: CPU and memory of Conch against streams, lengths, choices, workers and what else is turned on. Each point
 * has fresh processes.
 *
 *   npm run bench:scale -- [--only streams|prompts|tools|choices|workers|extras]... [--json | --page]
 *
 * Writes bench/results/scale-<date>.json, the section `scale` of docs/benchmarks.md and the plots in docs/benchmarks/. What --only
 * leaves out stays as the file of the same day has it. With --json nothing is written, and the figures are one line; with --page
 * nothing is measured, and the page is written from the file of the day.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { build } from '../scripts/lib/build.mjs';
import { install } from '../scripts/lib/install.mjs';
import { writeSection } from './docs-section.mjs';
import { machineWords, thisMachine, wasBusy } from './machine.mjs';
import { choices } from './scale/choices.mjs';
import { extras } from './scale/extras.mjs';
import { chapterText, tableOf, writePlots } from './scale/page.mjs';
import { prompts } from './scale/prompts.mjs';
import { streams } from './scale/streams.mjs';
import { tools } from './scale/tools.mjs';
import { workers } from './scale/workers.mjs';

/** @import { Measured } from './scale/chapter.mjs' */

const CHAPTERS = [streams, prompts, tools, choices, workers, extras];
const RESULTS = new URL('results/', import.meta.url);

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
  },
});

/** @param {string} line */
const say = (line) => process.stderr.write(`${line}\n`);

function chosenChapters() {
  if (values.page) return [];
  const names = values.only ?? CHAPTERS.map(({ name }) => name);
  const unknown = names.find((name) => CHAPTERS.every((chapter) => chapter.name !== name));
  if (unknown !== undefined)
    throw new Error(`--only takes ${CHAPTERS.map(({ name }) => name).join(', ')}; not ${unknown}`);
  return CHAPTERS.filter(({ name }) => names.includes(name));
}

async function main() {
  const machine = thisMachine();
  const date = machine.begun.slice(0, 10);
  const chosen = chosenChapters();
  await install();
  await build();
  if (wasBusy(machine)) say(machineWords(machine));
  const file = new URL(`scale-${date}.json`, RESULTS);
  /** @type {Record<string, Measured>} */
  const measured = {};
  for (const chapter of chosen) {
    const rows = await chapter.measure(say);
    measured[chapter.name] = { machine, rows };
    if (!values.json)
      process.stdout.write(`\n${chapter.title}\n${tableOf(chapter, rows)}\n${chapter.sentences(rows).join(' ')}\n\n`);
  }
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ date, chapters: measured })}\n`);
    return;
  }
  /** @type {Record<string, Measured>} */
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).chapters : {};
  const chapters = { ...before, ...measured };
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(file, `${JSON.stringify({ date, chapters }, undefined, 2)}\n`);
  const told = CHAPTERS.flatMap((chapter) => {
    const found = chapters[chapter.name];
    return found === undefined ? [] : [{ chapter, measured: found }];
  });
  for (const { chapter, measured } of told) await writePlots(chapter, measured.rows);
  const head =
    "`npm run bench:scale`. CPU time is that of all of Conch's processes; each point has fresh ones, warmed by CPU time. " +
    'A difference of less than a quarter is taken for noise. The sentences are made from the figures.';
  writeSection('scale', [head, ...told.map(({ chapter, measured }) => chapterText(chapter, measured))].join('\n\n'));
}

try {
  await main();
} catch (error) {
  say(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
