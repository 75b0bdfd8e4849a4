import { benchDefinition } from './bench/flags.ts';
import type { CliCommand } from './command.ts';

/** `conch bench`. What it needs is loaded when it runs: servers do not need it. */
export const benchCommand: CliCommand = {
  definition: benchDefinition,
  run: async (input, terminal) => (await import('./bench/run.ts')).runBench(input, terminal),
};
