import type { CommandInput } from '../config/load.ts';
import type { CliCommand, Terminal } from './command.ts';
import { modelTable } from './model-table.ts';
import { openParts } from './parts.ts';
import { untilSettled } from './until-settled.ts';

/** `conch models`: the table of what the servers have, what is offered, and why the rest is not. */
export const modelsCommand: CliCommand = {
  definition: {
    name: 'models',
    summary: 'Print the models of the servers, and why one is not offered',
    groups: ['servers', 'repository', 'embedded', 'models', 'general'],
    examples: ['conch models --triton localhost:8001'],
  },
  run,
};

async function run(input: CommandInput, terminal: Terminal): Promise<number> {
  const { registry, close } = await openParts(input, terminal, {
    onNote: (note) => terminal.err(note),
    onLog: (level, text) => {
      if (level === 'error') terminal.err(text);
    },
    onFault: (model, fault) => terminal.err(`${model}: ${fault.message}`),
  });
  try {
    await untilSettled(registry, input);
    terminal.out(modelTable(registry.rows()));
    return registry.rows().some(({ state }) => state === 'UNREACHABLE') ? 1 : 0;
  } finally {
    await close();
  }
}
