import { expect, it } from 'vitest';
import { readOptions } from './options.mjs';
import { scenariosOf, titleOf } from './scenarios.mjs';

/** @param {string[]} flags */
const namesOf = (flags) => scenariosOf(readOptions(flags).plan).map(({ name }) => name);

it('a whole run has every load', () => {
  expect(namesOf([])).toEqual([
    'full256',
    'full32',
    'full1',
    'paced256',
    'paced32',
    'paced1',
    'unstreamed',
    'requests',
    'first1',
    'first64',
    'interval5',
    'streams1000',
  ]);
});

it('--only chooses parts of it', () => {
  expect(namesOf(['--only', 'single', '--only', 'many'])).toEqual(['paced1', 'first1', 'streams1000']);
  expect(namesOf(['--only', 'start'])).toEqual([]);
});

it('a paced window is a whole number of responses long', () => {
  const [scenario] = scenariosOf(readOptions(['--only', 'paced', '--streams', '256', '--seconds', '3']).plan);
  expect(scenario?.load.seconds).toBeCloseTo(2.56, 10);
});

it('names the loads', () => {
  const settings = { tokens: 128, intervalMilliseconds: 10 };
  expect(['paced1', 'full256', 'first64', 'interval5', 'streams1000'].map((name) => titleOf(name, settings))).toEqual([
    '1 stream, 10 ms between tokens, responses of 128 tokens',
    '256 streams, full speed, responses of 128 tokens',
    'First token: 64 streams, 10 ms between tokens, responses of 32 tokens',
    'stream_interval 5: 10 ms between tokens, responses of 128 tokens',
    '1,000 streams, 40 ms between tokens, responses of 128 tokens',
  ]);
});
