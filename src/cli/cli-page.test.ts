import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Command } from '../config/command.ts';
import { helpText } from '../config/help.ts';
import { readCommandLine } from '../config/load.ts';
import { cliPage } from './cli-page.ts';
import { commands } from './commands.ts';
import { serveCommand } from './serve.ts';

const others = commands.slice(1).map(({ definition }) => definition);
const definitions: [Command, ...Command[]] = [serveCommand.definition, ...others];

describe('cliPage', () => {
  it('is what docs/cli.md holds; npm run docs writes it', async () => {
    expect(await readFile(new URL('../../docs/cli.md', import.meta.url), 'utf8')).toBe(cliPage());
  });

  it('has no line of more than 120 columns', () => {
    const long = cliPage()
      .split('\n')
      .filter((line) => line.length > 120);
    expect(long).toEqual([]);
  });
});

describe.each(definitions.map((command) => [command.name, command] as const))('conch %s', (name, command) => {
  it('has examples in its help, and a section of its own on the page', () => {
    const help = helpText({ commands: definitions, command: name });
    expect(command.examples?.length).toBeGreaterThan(1);
    expect(help).toContain(`\nExamples:\n${command.examples?.map((line) => `  ${line}\n`).join('')}`);
    expect(help).toContain('\nExit codes:\n');
    expect(cliPage()).toContain(`\n## conch ${name}\n`);
  });

  it('reads the command lines of its examples', () => {
    for (const example of command.examples ?? []) {
      const argv = wordsOf(example);
      const { action } = readCommandLine({ argv, commands: definitions, readFile: () => '{}' });
      expect([example, action]).toEqual([example, argv.includes('--check') ? 'check' : 'run']);
    }
  });
});

/** The words after `conch` in a line of a shell, up to where its output goes. */
function wordsOf(line: string): string[] {
  const [, command = ''] = /(?:^|[ (])conch( .*|$)/.exec(line.replace(/\)"?$| > .*$/, '')) ?? [];
  const words = command.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g);
  return [...words].map(([, double, single, plain]) => double ?? single ?? plain ?? '');
}
