import { describe, expect, it } from 'vitest';
import { readOptions } from './options.mjs';

describe('the page of benchmarks', () => {
  it.each([
    [[], true],
    [['--triton'], true],
    [['--json'], true],
    [['--details'], true],
    [['--rounds', '3'], true],
    [['--rounds', '1'], false],
    [['--windows', '2'], false],
    [['--seconds', '1.3'], false],
    [['--streams', '256'], false],
    [['--tokens', '64'], false],
    [['--warmup-seconds', '1'], false],
    [['--interval-ms', '20'], false],
    [['--triton', '--rounds', '3'], false],
    [['--only', 'paced'], false],
    [['--quick'], false],
    [['--against', 'main'], false],
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
    windows: 1,
    only: [],
  });
  expect(readOptions(['--triton']).plan.tokens).toBe(32);
});

describe('--against', () => {
  it('is a commit, or a URL with a process behind it', () => {
    const { mode, refs, running } = readOptions([
      '--against',
      'main',
      '--against',
      'rust=http://127.0.0.1:3000',
      '12',
      '--against',
      'http://localhost:4000/v1',
      '34',
    ]);
    expect({ mode, refs, running }).toEqual({
      mode: 'against',
      refs: ['main'],
      running: [
        { name: 'rust', url: 'http://127.0.0.1:3000', pid: 12 },
        { name: 'localhost:4000', url: 'http://localhost:4000', pid: 34 },
      ],
    });
  });

  it('takes the token server from --upstream and --contract', () => {
    const flags = ['--against', 'http://127.0.0.1:3000', '12'];
    expect(readOptions(flags).upstream).toEqual({ port: 8001, contract: 'vllm' });
    const { mode, upstream } = readOptions([...flags, '--upstream', '9001', '--contract', 'ensemble']);
    expect({ mode, upstream }).toEqual({ mode: 'against', upstream: { port: 9001, contract: 'ensemble' } });
    expect(readOptions(['--upstream', '9001']).mode).toBe('upstream');
  });

  it.each([
    [['--against', 'http://127.0.0.1:3000'], 'needs the process ID of the gateway behind the URL'],
    [['--against', 'http://127.0.0.1:3000', 'conch'], '"conch" is not a process ID'],
    [['--against', 'main', '12'], '"12" belongs to no flag'],
    [['--against', 'https://127.0.0.1:3000', '12'], 'only plain HTTP is supported'],
    [['--against', 'http://127.0.0.1:3000/api', '12'], 'the path is not supported'],
    [['--against', 'http://127.0.0.1:99999', '12'], 'the URL is not valid'],
  ])('%j is refused', (flags, message) => {
    expect(() => readOptions(flags)).toThrow(message);
  });
});

it.each([
  [['--only', 'half'], '--only takes one of paced, full, requests, interval, first, single, many, start; not "half".'],
  [['--contract', 'llama'], '--contract takes one of vllm, ensemble, tokens; not "llama".'],
  [['--upstream', 'x'], '--upstream takes a port, not "x".'],
  [['--rounds', 'many'], '--rounds must be a number, not "many".'],
])('%j is refused', (flags, message) => {
  expect(() => readOptions(flags)).toThrow(message);
});

it('a short run has as many windows as there is time for, unless they are named', () => {
  expect(readOptions(['--quick']).isTimed).toBe(true);
  expect(readOptions(['--quick', '--windows', '2'])).toMatchObject({ isTimed: false, plan: { windows: 2 } });
});
