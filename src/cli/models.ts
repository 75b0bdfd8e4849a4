import { z } from 'zod';
import { type CommandInput, ownFlags } from '../config/load.ts';
import { setting } from '../config/setting.ts';
import { openCore } from '../serve/core.ts';
import { modelTable } from '../serve/model-table.ts';
import type { Terminal } from '../serve/terminal.ts';
import { untilSettled } from '../serve/until-settled.ts';
import type { CliCommand } from './command.ts';

const definition = {
  name: 'models',
  summary: 'List the models of the servers, and why one is not served',
  groups: ['servers', 'repository', 'embedded', 'models', 'general'],
  flags: { json: setting(z.boolean().default(false), 'Print JSON.') },
  exitCodes: { 1: 'A server is unreachable.' },
  examples: ['conch models --triton localhost:8001', 'conch models --model-repository ./models --json'],
} as const;

/** `conch models`: the table of the servers' models, with the reason where one is not served. */
export const modelsCommand: CliCommand = { definition, run };

async function run(input: CommandInput, terminal: Terminal): Promise<number> {
  const { json } = ownFlags(input, definition);
  const { registry, close } = await openCore(input, terminal, {
    onNote: (note) => terminal.err(note),
    onLog: (level, text) => {
      if (level === 'error') terminal.err(text);
    },
    onError: (model, error) => terminal.err(`${model}: ${error.message}`),
  });
  try {
    await untilSettled(registry, input);
    const rows = registry.rows();
    terminal.out(json ? JSON.stringify({ models: rows }, undefined, 2) : modelTable(rows));
    return rows.some(({ state }) => state === 'UNREACHABLE') ? 1 : 0;
  } finally {
    await close();
  }
}
