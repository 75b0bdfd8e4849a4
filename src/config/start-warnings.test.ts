import { describe, expect, it } from 'vitest';
import { loadSettings } from './load.ts';
import { startWarnings } from './start-warnings.ts';

const open = (host: string) =>
  `Listening on ${host} without an API key: anyone who can reach this machine can use the models. Set --api-key, or --host 127.0.0.1.`;

describe('startWarnings', () => {
  it.each([
    [[], []],
    [['--tool-call-parser', 'llama3', '--lora-separator', '_lora_'], []],
    [['--triton', 'a'], [open('0.0.0.0')]],
    [['--triton', 'a', '--api-key', 'k'], []],
    [['--triton', 'a', '--openai-restricted-api', 'metrics,inference', 'x-key', 'k'], []],
    [['--triton', 'a', '--openai-restricted-api', 'embedding', 'x-key', 'k'], [open('0.0.0.0')]],
    [['--triton', 'a', '--host', '127.0.0.2'], []],
    [['--triton', 'a', '--host', '::1'], []],
    [['--triton', 'a', '--host', 'localhost'], []],
    [['--host', '::'], [open('::')]],
    [['--host', '127.example.org'], [open('127.example.org')]],
    [
      ['--keepalive-interval', '10s'],
      [
        'keepalive_interval is 10s: by default, Triton closes connections that ping more often than every 300s. Set --keepalive-interval 300s or more.',
      ],
    ],
    [['--keepalive-interval', '0'], []],
  ])('for %j are %j', (argv, expected) => {
    expect(startWarnings(loadSettings({ argv }))).toEqual(expected);
  });
});
