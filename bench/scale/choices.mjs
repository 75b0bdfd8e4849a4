/** The cost of a token of one answer with eight choices against eight answers. */
import { figure, PER_REQUEST, PER_TOKEN, RATE, RESIDENT } from './chapter.mjs';
import { STEADY, withConch } from './conch.mjs';
import { changeWords, display } from './growth.mjs';
import { inTurn, mediansOf } from './rounds.mjs';

/** @import { Chapter } from './chapter.mjs' */

const INFERENCES = 128;
const CHOICES = [1, 8];
const ROUNDS = 2;

/** @type {Chapter} */
export const choices = {
  name: 'choices',
  title: 'Several choices',
  first: 'n',
  columns: [RATE, PER_TOKEN, PER_REQUEST, RESIDENT],
  async measure(say) {
    const rounds = await inTurn(ROUNDS, CHOICES, async (n) => {
      const load = { choices: n, streams: INFERENCES / n, ...STEADY };
      const timed = { ...load, 'warmup-seconds': 2, seconds: 4 };
      const cost = await withConch(10, {}, (conch) => conch.load(timed));
      say(`n = ${n}: ${display(cost.microsecondsPerToken)} µs/token`);
      return cost;
    });
    return mediansOf(CHOICES.map(String), rounds, ['microsecondsPerToken', 'microsecondsPerRequest']);
  },
  load: () => `${INFERENCES} inferences at a time, 10 ms between tokens, medians of ${ROUNDS} rounds.`,
  sentences: (rows) => [
    `From n = 1 to n = 8 CPU per token ${changeWords(figure(rows[1], 'microsecondsPerTokenRatio'))}, ` +
      `and a request costs ${display(figure(rows[1], 'microsecondsPerRequestRatio'))} times as much for 8 times the tokens.`,
  ],
  charts: (rows) => ({
    'scale-choices': {
      title: 'CPU per token against n',
      x: { label: 'n', scale: 'linear' },
      y: { label: 'µs per token', scale: 'linear' },
      kind: 'bars',
      series: [{ name: 'CPU', points: rows.map((row) => [Number(row.label), figure(row, 'microsecondsPerToken')]) }],
    },
  }),
};
