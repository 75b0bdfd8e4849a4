import { describe, expect, it } from 'vitest';
import type { Command } from '../config/command.ts';
import { helpText } from '../config/help.ts';
import { commands } from './commands.ts';
import { serveCommand } from './serve.ts';

const others = commands.slice(1).map(({ definition }) => definition);
const definitions: [Command, ...Command[]] = [serveCommand.definition, ...others];

function tooLong(help: string): readonly string[] {
  return help.split('\n').filter((line) => line.length > 80);
}

describe('conch --help', () => {
  const help = helpText({ commands: definitions });

  it('has at most 60 lines of 80 columns, with the twenty common flags', () => {
    expect(help).toMatchSnapshot();
    expect(help.split('\n').length).toBeLessThanOrEqual(60);
    expect(tooLong(help)).toEqual([]);
    const [, flags = ''] = help.split('Common flags:\n');
    expect(flags.split('\n\n')[0]?.match(/^ +(-\w, )?--/gm)).toHaveLength(20);
  });

  it('lists every command and names the full help', () => {
    for (const { name } of definitions) expect(help).toContain(`\n  ${name} `);
    expect(help).toContain('conch help all');
  });
});

describe('conch help all', () => {
  const help = helpText({ commands: definitions, isFull: true });

  it('fits 80 columns and has the flags of every command', () => {
    expect(tooLong(help)).toEqual([]);
    const withFlags = definitions.filter(({ flags }) => flags !== undefined);
    for (const { name } of withFlags) expect(help).toContain(`\nFlags of conch ${name}:\n`);
  });
});

describe.each(definitions.map((command) => [command.name, command] as const))('conch %s --help', (name, command) => {
  it('has a usage line, two examples and exit codes in 80 columns', () => {
    const help = helpText({ commands: definitions, command: name });
    expect(help).toContain(`\nUsage: conch ${name} `);
    expect(help).toMatch(/\nExamples:\n( {2}.*\n){2}/);
    expect(help).toContain(`\nExamples:\n${command.examples?.map((line) => `  ${line}\n`).join('')}`);
    expect(help).toMatch(/\nExit codes:\n {2}0 /);
    expect(help).toContain('conch help all');
    expect(tooLong(help)).toEqual([]);
  });
});
