import { z } from 'zod';
import { type CommandInput, ownFlags } from '../config/load.ts';
import { setting } from '../config/setting.ts';
import { SettingsError } from '../config/settings-error.ts';
import { EngineError } from '../engine-error.ts';
import type { Terminal } from '../serve/terminal.ts';
import { installEngine } from '../servers/embedded/install/install-engine.ts';
import type { CliCommand } from './command.ts';

const definition = {
  name: 'engine install',
  summary: 'Install the embedded engine now instead of on first use',
  groups: ['models', 'general'],
  flags: {
    gpu: setting(z.boolean().default(false), 'Install the variant for GPUs.'),
  },
  examples: ['conch engine install', 'conch engine install --gpu'],
} as const;

/** `conch engine install`: installs node-llama-cpp into the cache, for a machine without network access later. */
export const engineInstallCommand: CliCommand = { definition, run };

async function run(input: CommandInput, terminal: Terminal): Promise<number> {
  const { gpu } = ownFlags(input, definition);
  try {
    const folder = await installEngine({
      cacheDir: input.settings.cacheDir,
      gpu,
      onProgress: (fraction) =>
        terminal.progress({
          what: 'Installing the engine (node-llama-cpp)',
          done: fraction,
          total: 1,
          unit: 'percent',
        }),
      signal: terminal.stop,
    });
    terminal.out(`The engine is in ${folder}.`);
    return 0;
  } catch (error) {
    if (error instanceof EngineError) throw new SettingsError([error.message]);
    throw error;
  }
}
