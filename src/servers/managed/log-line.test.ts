import { describe, expect, it } from 'vitest';
import { tritonLogLine } from './log-line.ts';

describe('tritonLogLine', () => {
  it.each([
    ['I1115 02:55:26.123456 4711 server.cc:674] "model ready"', ['info', 'model ready']],
    ['W1115 02:55:26.123456 4711 metrics.cc:1] Unable to poll', ['warn', 'Unable to poll']],
    [
      'E1115 02:55:26.123456 4711 model_lifecycle.cc:654] "failed to load \'x\' version 1"',
      ['error', "failed to load 'x' version 1"],
    ],
    ['+-------+---------+', ['info', '+-------+---------+']],
    ['', ['info', '']],
  ])('reads %j', (line, expected) => {
    expect(tritonLogLine(line)).toEqual(expected);
  });
});
