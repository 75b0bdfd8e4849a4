/**
 * What it costs to have more of everything: CPU and memory of Conch against streams, lengths, choices, workers and what else is turned on. Each point
 * has fresh processes.
 *
 *   npm run bench:scale -- [--only streams|prompts|tools|choices|workers|extras]... [--json | --page]
 *
 * Writes bench/results/scale.json, its part of docs/benchmarks.md and the plots in docs/benchmarks/. What --only leaves out stays as the
 * file has it. With --json nothing is written, and the figures are one line; with --page nothing is measured, and the page is written from the
 * file.
 */
import { parseArgs } from 'node:util';
import { build } from '../scripts/lib/build.mjs';
import { install } from '../scripts/lib/install.mjs';
import { machineWords, thisMachine, wasBusy } from './machine.mjs';
import { saveResult, storedResult } from './results.mjs';
import { choices } from './scale/choices.mjs';
import { extras } from './scale/extras.mjs';
import { chapterClaim, tableOf } from './scale/page.mjs';
import { prompts } from './scale/prompts.mjs';
import { streams } from './scale/streams.mjs';
import { tools } from './scale/tools.mjs';
import { workers } from './scale/workers.mjs';

/** @import { Measured } from './scale/chapter.mjs' */

const CHAPTERS = [streams, prompts, tools, choices, workers, extras];

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
  const date = machine.started.slice(0, 10);
  const chosen = chosenChapters();
  await install();
  await build();
  if (wasBusy(machine)) say(machineWords(machine));
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
  const before = storedResult('scale')?.chapters ?? {};
  const chapters = { ...before, ...measured };
  const reported = CHAPTERS.flatMap((chapter) => {
    const found = chapters[chapter.name];
    return found === undefined ? [] : [{ chapter, rows: found.rows }];
  });
  const found = reported.map(({ chapter, rows }) => chapterClaim(chapter, rows));
  const claims = found.map(({ claim }) => claim);
  const charts = Object.assign({}, ...found.map((each) => each.charts));
  await saveResult('scale', { machine, command: 'npm run bench:scale', chapters, claims }, charts);
}

try {
  await main();
} catch (error) {
  say(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
