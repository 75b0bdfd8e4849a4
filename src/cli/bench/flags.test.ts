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
  checkFlags(flags, invocation.given);
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

  const lengths = 'must be a number of tokens, or two with a comma between them: the mean and the deviation';
  it.each([
    ['--concurrency 0', '--concurrency must be whole numbers from 1 on, with commas between them: 1,32,256'],
    ['--concurrency 1,,2', '--concurrency must be whole numbers from 1 on, with commas between them: 1,32,256'],
    ['--concurrency 4 --rate 1', '--rate and --concurrency exclude each other: a rate does not wait for answers.'],
    ['--rate 1,-1', '--rate must be numbers above 0, with commas between them: 0.5,10'],
    ['--rate Infinity', '--rate must be numbers above 0, with commas between them: 0.5,10'],
    ['--requests 5 --duration 1s', '--requests and --duration exclude each other: give one of them.'],
    ['--input-tokens many', `--input-tokens ${lengths}`],
    ['--output-tokens 0', `--output-tokens ${lengths}`],
    ['--extra novalue', '--extra must be written name=value'],
    ['--endpoint embeddings --streaming', '--streaming: embeddings cannot be streamed.'],
    ['--pid x', '--pid must be the number of a process, or name=number'],
    ['--pid 1073741824', '--pid: no process 1073741824.'],
    ['--pid 1 --pid 1', '--pid: give each process a name of its own: --pid NAME=PID.'],
    ['--ca ca.pem --insecure', '--ca and --insecure exclude each other.'],
    ['--compare a b --compare c d', '--compare can be given once.'],
    ['--compare a b --seed 1', '--seed has no effect with --compare.'],
    ['--prompt-file p.txt --input-tokens 5', '--input-tokens has no effect with --prompt-file.'],
    ['--prompt-file p.txt --distinct-prompts 5', '--distinct-prompts has no effect with --prompt-file.'],
    ['--arrival constant', '--arrival has no effect without --rate.'],
    ['--requests 5 --grace-period 1s', '--grace-period has no effect with --requests.'],
    ['--endpoint embeddings --output-tokens 5', '--output-tokens has no effect on embeddings.'],
    ['--endpoint embeddings --ignore-eos', '--ignore-eos has no effect on embeddings.'],
    ['--endpoint embeddings --limit-field max_tokens', '--limit-field has no effect on embeddings.'],
    ['--ca ca.pem', '--ca has no effect on an address that begins with http://.'],
    ['--insecure', '--insecure has no effect on an address that begins with http://.'],
    ['--concurrency 1,8 --requests 4', '--concurrency 8 is never reached with --requests 4: give at least as many'],
    ['--url http://me:secret@host', '--url must have no name or password in it: send them by --header authorization:…'],
    ['--url http://host/v1?key=secret', '--url must have no query (what follows a ?): send keys by --header or'],
    ['--url http://host/#there', '--url must have no fragment (what follows a #).'],
    ['--url localhost:9000', '--url must be an address that begins with http:// or https://'],
    ['--triton localhost:8001', '--triton has no effect on conch bench.'],
    ['--compare a.json', '--compare needs 2 values: --compare A.json B.json'],
  ])('are refused: %s', (written, problem) => {
    expect(() => flagsOf(...written.split(' '))).toThrow(problem);
    expect(() => flagsOf(...written.split(' '))).not.toThrow('secret');
  });

  it('stand in the help', () => {
    const help = helpText({ commands: [...commands], command: 'bench', width: 80 });
    expect(help).toMatchSnapshot();
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});
