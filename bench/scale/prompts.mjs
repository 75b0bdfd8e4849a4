/** The cost of a prompt against its length, where Conch tokenizes, and how long the streams beside it wait. */
import { setTimeout as sleep } from 'node:timers/promises';
import { probe } from '../profile/probe-control.mjs';
import { figure, PER_REQUEST, pointsOf } from './chapter.mjs';
import { STEADY, withConch } from './conch.mjs';
import { display, growthSentence } from './growth.mjs';
import { preparePrompts } from './prompt-files.mjs';

/** @import { Chapter, Row } from './chapter.mjs' */
/** @import { RunningConch } from './conch.mjs' */

const LENGTHS = [100, 1000, 10_000, 100_000];
const STREAMS = 64;
const ASKERS = 2;
const PACE = 10;
const MOST_DELAY = 10;
const loop = probe('loop');

/**
 * The event loop while streams run, and prompts are asked beside them where there is a file with one.
 * @param {RunningConch} conch
 * @param {string} [file]
 */
async function delayBeside(conch, file) {
  const beside = { streams: STREAMS, ...STEADY };
  const streams = conch.load({ ...beside, 'warmup-seconds': 1, seconds: 5 });
  await sleep(1500);
  await loop.begin(conch.pid);
  if (file === undefined) await sleep(3000);
  else await conch.load({ ...askFor(file), 'warmup-seconds': 0, seconds: 3 });
  const figures = await loop.end(conch.pid);
  await streams;
  return figures;
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
    { heading: 'late p99', of: ({ lateP99 }) => lateP99, unit: ' ms' },
    { heading: 'longest', of: ({ lateMax }) => lateMax, unit: ' ms' },
    { heading: 'of it own work p99', of: ({ heldP99 }) => heldP99, unit: ' ms' },
    { heading: 'longest', of: ({ heldMax }) => heldMax, unit: ' ms' },
    { heading: 'without a core', of: ({ waitPercent }) => waitPercent, unit: ' %' },
  ],
  async measure(say) {
    const { folder, files } = await preparePrompts(LENGTHS);
    const flags = ['--tokenizer', `bench=${folder}`, '--context-length', 'bench=200000'];
    const options = { contract: /** @type {const} */ ('tokens'), flags, environment: loop.environment };
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
        `${length} tokens: ${display(figures.microsecondsPerRequest)} µs/request, event loop p99 ${display(figures.lateP99)} ms, own work ${display(figures.heldP99)} ms`,
      );
      rows.push({ label: display(length), figures });
    }
    return rows;
  },
  load: () =>
    `Conch tokenizes for TensorRT-LLM. ${ASKERS} requests at a time, responses of one token, then beside ${STREAMS} streams.`,
  sentences(rows) {
    const measured = rows.filter((row) => figure(row, 'length') > 0);
    const alone = rows.find((row) => figure(row, 'length') === 0);
    const highest = (/** @type {string} */ name) =>
      measured.reduce((one, other) => (figure(other, name) > figure(one, name) ? other : one));
    const [late, held] = [highest('lateP99'), highest('heldP99')];
    const [delay, work] = [figure(late, 'lateP99'), figure(held, 'heldP99')];
    const verdict = delay < MOST_DELAY ? 'under' : 'over';
    return [
      growthSentence({
        what: 'CPU per request',
        unit: 'µs',
        by: 'tokens',
        points: pointsOf(measured, 'length', 'microsecondsPerRequest'),
      }),
      `The event loop is at most ${display(delay)} ms late (99th percentile, prompts of ${late.label} tokens): ${verdict} the ` +
        `goal of ${MOST_DELAY} ms. Without prompts it is ${display(figure(alone, 'lateP99'))} ms late. Conch's own work holds it for at most ` +
        `${display(work)} ms.`,
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
        title: 'Delay of the event loop beside prompts, 99th percentile',
        x: { label: 'prompt tokens', scale: 'log' },
        y: { label: 'ms', scale: 'linear' },
        kind: 'line',
        series: [
          { name: 'late', points: pointsOf(measured, 'length', 'lateP99') },
          { name: 'own work', points: pointsOf(measured, 'length', 'heldP99') },
        ],
      },
    };
  },
};
