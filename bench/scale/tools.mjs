/** The cost of a token against the length of the arguments that it ends. */
import { figure, PER_TOKEN, pointsOf, RATE, RESIDENT } from './chapter.mjs';
import { withConch } from './conch.mjs';
import { display, growthSentence } from './growth.mjs';

/** @import { Chapter } from './chapter.mjs' */

const CHARACTERS = [1000, 10_000, 100_000];
const STREAMS = 16;
const PACE = 1;
const FLAGS = ['--tool-call-parser', 'bench=hermes'];
const WINDOW_SECONDS = 3;

/** @type {Chapter} */
export const tools = {
  name: 'tools',
  title: 'Long arguments of tools',
  first: 'characters of arguments',
  columns: [RATE, PER_TOKEN, RESIDENT],
  async measure(say) {
    const rows = [];
    for (const characters of CHARACTERS) {
      const tokens = characters / 4;
      // The last seconds of the longest arguments are measured: what grows with them is the largest there.
      const warmup = Math.max(3, ((tokens * PACE) / 1000 - WINDOW_SECONDS) * 0.95);
      const load = { tool: true, streams: STREAMS, tokens, 'warmup-seconds': warmup };
      const cost = await withConch(PACE, { flags: FLAGS }, (conch) => conch.load({ ...load, seconds: WINDOW_SECONDS }));
      say(`${characters} characters of arguments: ${display(cost.microsecondsPerToken)} µs/token`);
      rows.push({ label: display(characters), figures: { characters, ...cost } });
    }
    return rows;
  },
  load: () => `${STREAMS} streams of one call in Hermes format, ${PACE} ms between tokens of 4 characters.`,
  sentences: (rows) => [
    growthSentence({
      what: 'CPU per token',
      unit: 'µs',
      by: 'characters',
      points: pointsOf(rows, 'characters', 'microsecondsPerToken'),
    }),
    `Memory is ${rows.map((row) => `${display(figure(row, 'residentMegabytes'))} MB`).join(', ')}.`,
  ],
  charts: (rows) => ({
    'scale-tools': {
      title: 'CPU per token against the length of arguments',
      x: { label: 'characters', scale: 'log' },
      y: { label: 'µs per token', scale: 'linear' },
      kind: 'line',
      series: [{ name: 'CPU', points: pointsOf(rows, 'characters', 'microsecondsPerToken') }],
    },
  }),
};
