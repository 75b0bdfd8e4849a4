import { chatDefinition } from './chat/flags.ts';
import type { CliCommand } from './command.ts';

/** `conch chat`. What it needs is loaded when it runs: servers do not need it. */
export const chatCommand: CliCommand = {
  definition: chatDefinition,
  run: async (input, terminal) => (await import('./chat/run.ts')).runChat(input, terminal),
};
