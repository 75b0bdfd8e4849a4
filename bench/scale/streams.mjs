/** The cost of a token and of a stream against the number of streams. */
import { figure, PER_REQUEST, PER_TOKEN, pointsOf, RATE, RESIDENT } from './chapter.mjs';
import { STEADY, withConch } from './conch.mjs';
import { display, growthSentence, NOISE, slope } from './growth.mjs';

/** @import { Chapter } from './chapter.mjs' */

/** From here on the tokens per second stay the same: each stream is slower, so that two cores can carry the load. */
const MOST_AT_FULL_PACE = 256;
const STREAMS = [1, 16, MOST_AT_FULL_PACE, 1024, 4096];
const PACE = 10;
const TOKENS_PER_SECOND = 12_800;

/** @param {number} streams */
const intervalOf = (streams) => (streams <= MOST_AT_FULL_PACE ? PACE : (streams * 1000) / TOKENS_PER_SECOND);

/** @type {Chapter} */
export const streams = {
  name: 'streams',
  title: 'Concurrent streams',
  first: 'streams',
  columns: [
    { heading: 'between tokens', of: ({ interval }) => interval, unit: ' ms' },
    RATE,
    PER_TOKEN,
    PER_REQUEST,
    RESIDENT,
  ],
  async measure(say) {
    const rows = [];
    for (const count of STREAMS) {
      const interval = intervalOf(count);
      const warmup = count > MOST_AT_FULL_PACE ? 6 : 2;
      const load = { streams: count, ...STEADY };
      const cost = await withConch(interval, {}, (conch) =>
        conch.load({ ...load, 'warmup-seconds': warmup, seconds: 4 }),
      );
      say(`${count} streams: ${display(cost.microsecondsPerToken)} µs/token, ${display(cost.residentMegabytes)} MB`);
      rows.push({ label: display(count), figures: { streams: count, interval, ...cost } });
    }
    return rows;
  },
  load: () =>
    `${PACE} ms between tokens up to ${MOST_AT_FULL_PACE} streams, then ${display(TOKENS_PER_SECOND)} tokens/s in all.`,
  sentences(rows) {
    const few = rows.filter((row) => figure(row, 'streams') <= MOST_AT_FULL_PACE);
    const many = rows.filter((row) => figure(row, 'streams') >= MOST_AT_FULL_PACE);
    const kilobytes = slope(pointsOf(rows, 'streams', 'residentMegabytes')) * 1024;
    const curve = { what: 'CPU per token', unit: 'µs', by: 'streams' };
    const single = figure(few[0], 'microsecondsPerToken');
    const isShared = figure(few.at(-1), 'microsecondsPerToken') < single / NOISE;
    return [
      growthSentence({ ...curve, points: pointsOf(few, 'streams', 'microsecondsPerToken') }),
      ...(isShared
        ? ['Waking up, a turn of the event loop and other fixed work is shared by all tokens of that turn.']
        : []),
      growthSentence({ ...curve, points: pointsOf(many, 'streams', 'microsecondsPerToken') }),
      `Each stream takes ${display(kilobytes)} KB of memory.`,
    ];
  },
  charts: (rows) => ({
    'scale-streams-cpu': {
      title: 'CPU per token against concurrent streams',
      x: { label: 'streams', scale: 'log' },
      y: { label: 'µs per token', scale: 'log' },
      kind: 'line',
      series: [{ name: 'CPU', points: pointsOf(rows, 'streams', 'microsecondsPerToken') }],
    },
    'scale-streams-memory': {
      title: 'Memory against concurrent streams',
      x: { label: 'streams', scale: 'linear' },
      y: { label: 'MB', scale: 'linear' },
      kind: 'line',
      series: [{ name: 'RSS', points: pointsOf(rows, 'streams', 'residentMegabytes') }],
    },
  }),
};
