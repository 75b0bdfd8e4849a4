import { describe, expect, it } from 'vitest';
import { defaultCommand } from '../../config/command.ts';
import { helpText } from '../../config/help.ts';
import { ownFlags, readCommandLine } from '../../config/load.ts';
import { checkFlags } from './checks.ts';
import { type BenchFlags, benchDefinition } from './flags.ts';

const commands = [defaultCommand, benchDefinition] as const;

function flagsOf(...argv: readonly string[]): BenchFlags {
  const invocation = readCommandLine({ argv: ['bench', ...argv], commands });
  if (invocation.action !== 'run') throw new Error(invocation.action);
  const flags = ownFlags(invocation, benchDefinition);
  checkFlags(flags, invocation.flagNames);
  return flags;
}

describe('the flags of conch bench', () => {
  it('have defaults', () => {
    expect(flagsOf()).toEqual({
      url: 'http://localhost:9000',
      header: {},
      endpoint: 'chat',
      arrival: 'poisson',
      gracePeriod: 30_000,
      inputTokens: { mean: 550, deviation: 0 },
      outputTokens: { mean: 128, deviation: 0 },
      ignoreEos: false,
      limitField: 'max_tokens',
      extra: [],
      distinctPrompts: 100,
      seed: 1,
      serverTokenCount: false,
      timeout: 600_000,
      pid: [],
      insecure: false,
      compare: [],
    });
  });

  it('are read', () => {
    const written =
      '--concurrency 1,32,256,32 --input-tokens 550,50.5 --duration 2m --no-streaming --extra temperature=0 ' +
      '--extra stop=["a"] --extra user=me=you --pid me=1 --header x-team:a --tokenizer ./llama3';
    const flags = flagsOf(...written.split(' '));
    expect(flags).toMatchObject({
      concurrency: [1, 32, 256],
      inputTokens: { mean: 550, deviation: 50.5 },
      duration: 120_000,
      streaming: false,
      extra: [
        ['temperature', 0],
        ['stop', ['a']],
        ['user', 'me=you'],
      ],
      pid: [{ name: 'me', pid: 1 }],
      header: { 'x-team': 'a' },
      tokenizer: './llama3',
    });
  });

  it('may be two reports', () => {
    expect(flagsOf('--compare', 'a.json', 'b.json').compare).toEqual([['a.json', 'b.json']]);
  });

  it('are no settings of the same name', () => {
    const argv = 'bench --model llama3 --workers 3 --api-key k --check'.split(' ');
    expect(readCommandLine({ argv, commands })).toMatchObject({
      action: 'check',
      settings: { workers: 1, apiKey: [], model: [] },
      own: { model: 'llama3', workers: 3, apiKey: 'k' },
    });
  });

  const lengths = 'must be a number of tokens, or MEAN,DEVIATION';
  it.each([
    ['--concurrency 0', '--concurrency must be whole numbers above 0, separated by commas'],
    ['--concurrency 1,,2', '--concurrency must be whole numbers above 0, separated by commas'],
    [
      '--concurrency 4 --rate 1',
      '--rate and --concurrency exclude each other: a rate does not wait for responses. Set one of them.',
    ],
    ['--rate 1,-1', '--rate must be numbers above 0, separated by commas'],
    ['--rate Infinity', '--rate must be numbers above 0, separated by commas'],
    ['--requests 5 --duration 1s', '--requests and --duration exclude each other. Set one of them.'],
    ['--input-tokens many', `--input-tokens ${lengths}`],
    ['--output-tokens 0', `--output-tokens ${lengths}`],
    ['--extra novalue', '--extra must be name=value'],
    ['--endpoint embeddings --streaming', '--streaming: embeddings cannot be streamed.'],
    ['--pid x', '--pid must be PID or NAME=PID'],
    ['--pid 1073741824', '--pid: there is no process 1073741824. Check the number.'],
    ['--pid 1 --pid 1', '--pid: two processes have the same name. Write --pid NAME=PID with different names.'],
    ['--ca ca.pem --insecure', '--ca and --insecure exclude each other.'],
    ['--compare a b --compare c d', '--compare can be set only once. Remove the others.'],
    ['--compare a b --seed 1', '--seed has no effect with --compare.'],
    ['--prompt-file p.txt --input-tokens 5', '--input-tokens has no effect with --prompt-file.'],
    ['--prompt-file p.txt --distinct-prompts 5', '--distinct-prompts has no effect with --prompt-file.'],
    ['--arrival constant', '--arrival has no effect without --rate.'],
    ['--requests 5 --grace-period 1s', '--grace-period has no effect with --requests.'],
    ['--endpoint embeddings --output-tokens 5', '--output-tokens has no effect on embeddings.'],
    ['--endpoint embeddings --ignore-eos', '--ignore-eos has no effect on embeddings.'],
    ['--endpoint embeddings --limit-field max_tokens', '--limit-field has no effect on embeddings.'],
    ['--ca ca.pem', '--ca has no effect on a URL that begins with http://. Remove it.'],
    ['--insecure', '--insecure has no effect on a URL that begins with http://. Remove it.'],
    [
      '--concurrency 1,8 --requests 4',
      '--concurrency 8 is never reached with --requests 4. Set --requests to at least 8.',
    ],
    [
      '--url http://me:secret@host',
      '--url must not contain a user or password. Send them with --header authorization:VALUE.',
    ],
    ['--url http://host/v1?key=secret', '--url must not contain a query (after ?). Send keys with --header or'],
    ['--url http://host/#there', '--url must not contain a fragment (after #). Remove it.'],
    ['--url localhost:9000', '--url must be a URL that begins with http:// or https://'],
    ['--triton localhost:8001', '--triton has no effect on conch bench. Remove it.'],
    ['--compare a.json', '--compare needs 2 values. Write --compare A.json B.json.'],
  ])('are refused: %s', (written, problem) => {
    expect(() => flagsOf(...written.split(' '))).toThrow(problem);
    expect(() => flagsOf(...written.split(' '))).not.toThrow('secret');
  });

  it('are in the help', () => {
    const help = helpText({ commands: [...commands], command: 'bench', width: 80 });
    expect(help).toMatchSnapshot();
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});
