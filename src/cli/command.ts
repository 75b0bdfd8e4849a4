import type { Command } from '../config/command.ts';
import type { CommandInput } from '../config/load.ts';
import type { Terminal } from '../serve/terminal.ts';

/** A command of the command line: how it is written, and what it does. Resolves to the exit code. */
export interface CliCommand {
  readonly definition: Command;
  run(input: CommandInput, terminal: Terminal): Promise<number>;
}
