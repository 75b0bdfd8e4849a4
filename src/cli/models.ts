import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandInput } from '../config/load.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { CliCommand, Terminal } from './command.ts';
import { modelTable } from './model-table.ts';
import { openParts } from './parts.ts';

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
    await untilSettled(registry, input.settings.modelRepository.length > 0 ? longestStart : 0);
    terminal.out(modelTable(registry.rows()));
    return registry.rows().some(({ state }) => state === 'UNREACHABLE') ? 1 : 0;
  } finally {
    await close();
  }
}

/** Milliseconds that a tritonserver of our own may take to load its models. */
const longestStart = 120_000;

/** Looks once; at a server that is just starting, until it has loaded what it can. */
async function untilSettled(registry: ModelRegistry, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  do {
    await registry.refresh();
    if (!registry.rows().some(({ state }) => state === 'UNREACHABLE' || state === 'LOADING')) return;
    await sleep(200);
  } while (performance.now() < end);
}
