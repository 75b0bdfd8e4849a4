import { describe, expect, it } from 'vitest';
import { readOptions } from './options.mjs';

describe('the page of benchmarks', () => {
  it.each([
    [[], true],
    [['--triton'], true],
    [['--json'], true],
    [['--rounds', '3'], true],
    [['--rounds', '1'], false],
    [['--seconds', '1.3'], false],
    [['--streams', '256'], false],
    [['--tokens', '64'], false],
    [['--warmup-seconds', '1'], false],
    [['--interval-ms', '20'], false],
    [['--triton', '--rounds', '3'], false],
    [['--only', 'paced'], false],
    [['--gateway', 'other=gateway.mjs'], false],
    [['--rounds', '1', '--write'], true],
  ])('is written by a run as it is without flags, or with --write: %j', (flags, writes) => {
    expect(readOptions(flags).writes).toBe(writes);
  });
});

it('a load has numbers, fewer tokens where the server is a real one', () => {
  expect(readOptions(['--streams', '1,8']).plan).toEqual({
    streams: [1, 8],
    tokens: 128,
    seconds: 2.5,
    intervalMilliseconds: 10,
    warmupSeconds: 4,
    only: undefined,
  });
  expect(readOptions(['--triton']).plan.tokens).toBe(32);
});

it('an unknown part is refused', () => {
  expect(() => readOptions(['--only', 'half'])).toThrow('--only takes one of paced, full, requests, single');
});
