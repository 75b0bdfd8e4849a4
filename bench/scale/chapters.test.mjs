import { expect, it } from 'vitest';
import { chapterClaim, tableOf } from './page.mjs';
import { prompts } from './prompts.mjs';
import { streams } from './streams.mjs';

/** @param {(streams: number) => { microsecondsPerToken: number, residentMegabytes: number }} cost */
const rowsOf = (cost) =>
  [1, 256, 1024, 4096].map((count) => {
    const rates = { streams: count, interval: 10, tokensPerSecond: 100 * count, microsecondsPerRequest: 2000 };
    return { label: String(count), figures: { ...rates, ...cost(count) } };
  });

it('tells of streams what their figures say', () => {
  const flat = rowsOf((count) => ({
    microsecondsPerToken: count === 1 ? 80 : 20,
    residentMegabytes: 100 + count / 32,
  }));
  const steep = rowsOf((count) => ({ microsecondsPerToken: 20 * count, residentMegabytes: 100 + count / 8 }));
  expect(streams.sentences(flat)).toEqual([
    'CPU per token falls by 75 %, from 80 µs at 1 stream to 20 at 256.',
    'Waking up, a turn of the event loop and other fixed work is shared by all tokens of that turn.',
    'CPU per token stays the same within the noise (±0 %), from 20 µs at 256 streams to 20 at 4,096.',
    'Each stream takes 32 KB of memory.',
  ]);
  expect(streams.sentences(steep)).toEqual([
    'CPU per token grows 256 times, in proportion, from 20 µs at 1 stream to 5,120 at 256.',
    'CPU per token grows 16 times, in proportion, from 5,120 µs at 256 streams to 81,920 at 4,096.',
    'Each stream takes 128 KB of memory.',
  ]);
});

/** @param {number} lateP99 */
const promptRows = (lateP99) => [
  { label: 'none', figures: { length: 0, lateP99: 3, lateMax: 5, heldP99: 1, heldMax: 2, waitPercent: 1 } },
  ...[100, 1000].map((length) => {
    const loop = { lateP99: length === 100 ? 4 : lateP99, lateMax: 30, heldP99: 2, heldMax: 6, waitPercent: 7 };
    const cost = { microsecondsPerRequest: length * 5, microsecondsPerPromptToken: 5, peakMegabytes: 200 };
    return { label: String(length), figures: { length, ...loop, ...cost } };
  }),
];

it('says whether the event loop keeps to its limit', () => {
  /** @param {number} delay */
  const verdict = (delay) => prompts.sentences(promptRows(delay)).at(-1);
  expect([verdict(9.9), verdict(10)]).toEqual([
    'The event loop is at most 9.9 ms late (99th percentile, prompts of 1000 tokens): under the goal of 10 ms. ' +
      "Without prompts it is 3 ms late. Conch's own work holds it for at most 2 ms.",
    'The event loop is at most 10 ms late (99th percentile, prompts of 1000 tokens): over the goal of 10 ms. ' +
      "Without prompts it is 3 ms late. Conch's own work holds it for at most 2 ms.",
  ]);
});

it('leaves a cell empty where nothing was measured', () => {
  expect(tableOf(prompts, promptRows(4)).split('\n').slice(2)).toEqual([
    '| none          |            |                 |             | 3 ms     | 5 ms    | 1 ms               | 2 ms    | 1 %            |',
    '| 100           | 500        | 5               | 200 MB      | 4 ms     | 30 ms   | 2 ms               | 6 ms    | 7 %            |',
    '| 1000          | 5,000      | 5               | 200 MB      | 4 ms     | 30 ms   | 2 ms               | 6 ms    | 7 %            |',
  ]);
});

it('makes a claim with its first chart', () => {
  const rows = promptRows(4);
  const { claim, charts } = chapterClaim(prompts, rows);
  expect(claim).toEqual({
    title: 'Long prompts',
    text: prompts.sentences(rows).join(' '),
    command: 'npm run bench:scale -- --only prompts',
    load: prompts.load(rows),
    image: { file: 'scale-prompts-cpu.svg', alt: 'CPU per request against the length of its prompt' },
  });
  expect(Object.keys(charts)).toEqual(['scale-prompts-cpu']);
});
