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
  `--workers 2 is not supported with ${model}: the embedded engine runs in one process. Remove --workers, or serve only models of Triton servers.`;

describe('several workers', () => {
  it.each([
    [[], [inside('the default model')]],
    [['--triton', 'a', '--model', '/m.gguf'], [inside('/m.gguf')]],
    [
      ['--triton', 'a', '--load-on-demand', '--max-loaded', '1'],
      ['--max-loaded is not supported with --workers: it counts the models of one process. Remove one of them.'],
    ],
    [
      ['--triton', 'a', '--lora-root', '/l'],
      [
        '--lora-root is not supported with --workers: only one process knows the adapters that it loads. Remove one of them.',
      ],
    ],
    [['--triton', 'a'], []],
    [['--model-repository', '/r'], []],
    [['models', '--model', '/m.gguf'], []],
  ])('are checked with the settings %j', (argv, problems) => {
    expect(problemsOf([...argv, '--check'])).toEqual(problems);
  });
});
