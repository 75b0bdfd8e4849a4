import { z } from 'zod';
import { type Command, defaultCommand } from '../../src/config/command.ts';
import { type LoadOptions, loadSettings, readCommandLine } from '../../src/config/load.ts';
import { setting } from '../../src/config/setting.ts';
import { SettingsError } from '../../src/config/settings-error.ts';

const json = { json: setting(z.boolean().default(false), 'As JSON.') };
export const models: Command<typeof json> = {
  name: 'models',
  summary: 'List',
  groups: ['servers', 'models'],
  flags: json,
};
export const commands: NonNullable<LoadOptions['commands']> = [defaultCommand, models];

export function load(argv: readonly string[], options: LoadOptions = {}) {
  return loadSettings({ homeDirectory: '/home/me', platform: 'linux', ...options, argv });
}

export function problems(argv: readonly string[], options: LoadOptions = {}): readonly string[] {
  try {
    readCommandLine({ commands, ...options, argv });
  } catch (error) {
    if (error instanceof SettingsError && error.exitCode === 2) return error.problems;
    throw error;
  }
  return [];
}

export function withFile(text: string, argv: readonly string[] = []): readonly string[] {
  return problems(['--config', 'conch.yaml', ...argv], { readFile: () => text });
}
