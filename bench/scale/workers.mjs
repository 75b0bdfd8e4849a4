/** What a second worker costs. */
import { figure, PER_REQUEST, PER_TOKEN, RATE, RESIDENT } from './chapter.mjs';
import { STEADY, withConch } from './conch.mjs';
import { changeWords, display } from './growth.mjs';
import { inTurn, mediansOf } from './rounds.mjs';

/** @import { Chapter } from './chapter.mjs' */

const WORKERS = [1, 2];
const STREAMS = 256;
const ROUNDS = 2;

/** @type {Chapter} */
export const workers = {
  name: 'workers',
  title: 'Workers',
  first: '--workers',
  columns: [RATE, PER_TOKEN, PER_REQUEST, RESIDENT],
  async measure(say) {
    const rounds = await inTurn(ROUNDS, WORKERS, async (count) => {
      const load = { streams: STREAMS, ...STEADY };
      const timed = { ...load, 'warmup-seconds': 2, seconds: 4 };
      const options = { workers: count, flags: ['--workers', String(count)] };
      const cost = await withConch(10, options, (conch) => conch.load(timed));
      say(`${count} workers: ${display(cost.microsecondsPerToken)} µs/token, ${display(cost.residentMegabytes)} MB`);
      return cost;
    });
    return mediansOf(WORKERS.map(String), rounds, ['microsecondsPerToken', 'residentMegabytes']);
  },
  load: () => `${STREAMS} streams, 10 ms between tokens; all processes together, medians of ${ROUNDS} rounds.`,
  sentences: (rows) => [
    `With two workers CPU per token ${changeWords(figure(rows[1], 'microsecondsPerTokenRatio'))}. ` +
      `Memory ${changeWords(figure(rows[1], 'residentMegabytesRatio'))}.`,
  ],
  charts: (rows) => ({
    'scale-workers': {
      title: 'CPU per token with one worker and with two',
      x: { label: '--workers', scale: 'linear' },
      y: { label: 'µs per token', scale: 'linear' },
      kind: 'bars',
      series: [{ name: 'CPU', points: rows.map((row) => [Number(row.label), figure(row, 'microsecondsPerToken')]) }],
    },
  }),
};
