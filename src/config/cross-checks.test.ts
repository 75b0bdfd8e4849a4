import { describe, expect, it } from 'vitest';
import { type Command, defaultCommand } from './command.ts';
import { readCommandLine } from './load.ts';
import { SettingsError } from './settings-error.ts';

const models: Command = { name: 'models', summary: 'List', groups: ['servers', 'embedded', 'models'] };

function problemsOf(argv: readonly string[]): readonly string[] {
  try {
    const environment = { CONCH_WORKERS: '2' };
    readCommandLine({ argv, environment, commands: [defaultCommand, models], homeDirectory: '/home/me' });
    return [];
  } catch (error) {
    return error instanceof SettingsError ? error.problems : [String(error)];
  }
}

const inside = (model: string): string =>
  `--workers 2: ${model} runs inside one process (the embedded engine). Leave --workers out, or serve models of Triton alone.`;

describe('several workers', () => {
  it.each([
    [[], [inside('the default model')]],
    [['--triton', 'a', '--model', '/m.gguf'], [inside('/m.gguf')]],
    [
      ['--triton', 'a', '--load-on-demand', '--max-loaded', '1'],
      ['--max-loaded counts the models of one process; leave --workers out.'],
    ],
    [
      ['--triton', 'a', '--lora-root', '/l'],
      ['--lora-root: adapters that are loaded while Conch runs are known to one process; leave --workers out.'],
    ],
    [['--triton', 'a'], []],
    [['--model-repository', '/r'], []],
    [['models', '--model', '/m.gguf'], []],
  ])('are checked with the settings %j', (argv, problems) => {
    expect(problemsOf([...argv, '--check'])).toEqual(problems);
  });
});
