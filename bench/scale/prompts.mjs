/** The cost of a prompt against its length, where Conch tokenizes, and how long the streams beside it wait. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOGS } from '../processes.mjs';
import { figure, PER_REQUEST, pointsOf } from './chapter.mjs';
import { STEADY, withConch } from './conch.mjs';
import { growthSentence, shown } from './growth.mjs';
import { preparePrompts } from './prompt-files.mjs';

/** @import { Chapter, Row } from './chapter.mjs' */
/** @import { RunningConch } from './conch.mjs' */

const LENGTHS = [100, 1000, 10_000, 100_000];
const STREAMS = 64;
const ASKERS = 2;
const PACE = 10;
const MOST_DELAY = 10;
const LOOP_FILE = path.join(LOGS, 'event-loop');
const MONITOR = new URL('../../test/support/event-loop-monitor.mjs', import.meta.url).href;

/**
 * How long the event loop was held since the last question, in milliseconds.
 * @param {RunningConch} conch
 * @returns {Promise<{ max: number, p99: number }>}
 */
async function loopDelay({ pid }) {
  rmSync(LOOP_FILE, { force: true });
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(LOOP_FILE)) await sleep(2);
  return JSON.parse(readFileSync(LOOP_FILE, 'utf8'));
}

/**
 * How long the event loop's thread has been ready and had no core, in milliseconds.
 * @param {RunningConch} conch
 */
function coreWait({ pid }) {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
}

/**
 * The event loop while streams run, and prompts are asked beside them where there is a file with one.
 * @param {RunningConch} conch
 * @param {string} [file]
 */
async function delayBeside(conch, file) {
  const beside = { streams: STREAMS, ...STEADY };
  const streams = conch.load({ ...beside, 'warmup-seconds': 1, seconds: 5 });
  await sleep(1500);
  await loopDelay(conch);
  const [waited, startedAt] = [coreWait(conch), performance.now()];
  if (file === undefined) await sleep(3000);
  else await conch.load({ ...askFor(file), 'warmup-seconds': 0, seconds: 3 });
  const { max, p99 } = await loopDelay(conch);
  const waitShare = (coreWait(conch) - waited) / (performance.now() - startedAt);
  await streams;
  return { loopMax: max, loopP99: p99, corePercent: waitShare * 100 };
}

/** @param {string} file */
const askFor = (file) => ({ 'prompt-file': file, streams: ASKERS, tokens: 1 });

/** @type {Chapter} */
export const prompts = {
  name: 'prompts',
  title: 'Long prompts',
  first: 'prompt tokens',
  columns: [
    PER_REQUEST,
    { heading: 'µs/prompt token', of: ({ microsecondsPerPromptToken }) => microsecondsPerPromptToken },
    { heading: 'RSS at most', of: ({ peakMegabytes }) => peakMegabytes, unit: ' MB' },
    { heading: 'event loop p99', of: ({ loopP99 }) => loopP99, unit: ' ms' },
    { heading: 'longest', of: ({ loopMax }) => loopMax, unit: ' ms' },
    { heading: 'without a core', of: ({ corePercent }) => corePercent, unit: ' %' },
  ],
  async measure(say) {
    const { folder, files } = await preparePrompts(LENGTHS);
    const flags = ['--tokenizer', `bench=${folder}`, '--context-length', 'bench=200000'];
    const environment = { NODE_OPTIONS: `--import=${MONITOR}`, CONCH_TEST_LOOP_FILE: LOOP_FILE };
    const options = { contract: /** @type {const} */ ('tokens'), flags, environment };
    /** @type {Row[]} */
    const rows = [];
    rows.push({
      label: 'none',
      figures: { length: 0, ...(await withConch(PACE, options, (conch) => delayBeside(conch))) },
    });
    for (const [at, length] of LENGTHS.entries()) {
      const file = files[at] ?? '';
      const figures = await withConch(PACE, options, async (conch) => {
        const cost = await conch.load({ ...askFor(file), 'warmup-seconds': 1.5, seconds: 3 });
        const microsecondsPerPromptToken = cost.microsecondsPerRequest / length;
        return { length, ...cost, microsecondsPerPromptToken, ...(await delayBeside(conch, file)) };
      });
      say(
        `${length} tokens: ${shown(figures.microsecondsPerRequest)} µs/request, event loop p99 ${shown(figures.loopP99)} ms`,
      );
      rows.push({ label: shown(length), figures });
    }
    return rows;
  },
  load: () =>
    `TensorRT-LLM's engine, so that Conch tokenizes: a byte-level BPE that was learnt from these pages. ${ASKERS} requests at a time for an answer of one token. ` +
    `Then the same beside ${STREAMS} streams with ${PACE} ms between tokens: how long the event loop was held, in steps of 2 ms, which count as delay, and for how much of the time another program or thread had the core that it needed.`,
  sentences(rows) {
    const measured = rows.filter((row) => figure(row, 'length') > 0);
    const alone = rows.find((row) => figure(row, 'length') === 0);
    const worst = measured.reduce((one, other) => (figure(other, 'loopP99') > figure(one, 'loopP99') ? other : one));
    const delay = figure(worst, 'loopP99');
    return [
      growthSentence({
        what: 'CPU per request',
        unit: 'µs',
        by: 'tokens',
        points: pointsOf(measured, 'length', 'microsecondsPerRequest'),
      }),
      `Meanwhile the 99th percentile of the event loop's delay is at most ${shown(delay)} ms, with prompts of ${worst.label} tokens: ` +
        `${delay < MOST_DELAY ? 'under' : 'over'} the ${MOST_DELAY} ms that it may be; it is ${shown(figure(alone, 'loopP99'))} ms without prompts. ` +
        `For ${shown(figure(worst, 'corePercent'))} % of that time its thread was ready and had no core.`,
    ];
  },
  charts(rows) {
    const measured = rows.filter((row) => figure(row, 'length') > 0);
    return {
      'scale-prompts-cpu': {
        title: 'CPU per request against the length of its prompt',
        x: { label: 'prompt tokens', scale: 'log' },
        y: { label: 'µs per request', scale: 'log' },
        kind: 'line',
        series: [{ name: 'CPU', points: pointsOf(measured, 'length', 'microsecondsPerRequest') }],
      },
      'scale-prompts-delay': {
        title: 'Delay of the event loop beside prompts',
        x: { label: 'prompt tokens', scale: 'log' },
        y: { label: 'ms', scale: 'linear' },
        kind: 'line',
        series: [
          { name: '99th percentile', points: pointsOf(measured, 'length', 'loopP99') },
          { name: 'longest', points: pointsOf(measured, 'length', 'loopMax') },
        ],
      },
    };
  },
};
