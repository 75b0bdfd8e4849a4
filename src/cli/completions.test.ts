import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isWindows, programPath } from '../../test/support/system-program.ts';
import type { CommandInput } from '../config/load.ts';
import type { Terminal } from '../serve/terminal.ts';
import { commands } from './commands.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-completions-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function completions(...positionals: readonly string[]): Promise<string> {
  let script = '';
  const terminal = { write: (text: string) => (script += text) };
  const command = commands.find(({ definition }) => definition.name === 'completions');
  await command?.run({ positionals } as unknown as CommandInput, terminal as unknown as Terminal);
  return script;
}

describe('conch completions', () => {
  it.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
    await expect(await completions(shell)).toMatchFileSnapshot(`__snapshots__/completions.${shell}`);
  });

  it.each<[string[], string]>([
    [[], 'conch completions needs the name of a shell: bash, zsh, fish.'],
    [['zhs'], 'conch completions needs the name of a shell: bash, zsh, fish. Did you mean zsh?'],
    [['bash', 'zsh'], 'conch completions needs the name of a shell: bash, zsh, fish.'],
  ])('refuses %j', async (words, problem) => {
    await expect(completions(...words)).rejects.toThrow(problem);
  });
});

/** What bash offers behind these words, the last of which may be half of one. */
async function offered(...words: readonly string[]): Promise<string[]> {
  const file = join(folder, 'conch.bash');
  writeFileSync(file, await completions('bash'));
  const program = `
    source "$1"; shift
    COMP_WORDS=(conch "$@"); COMP_CWORD=$#
    _conch
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', program, 'bash', file, ...words], {
    encoding: 'utf8',
    cwd: folder,
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((word) => word !== '');
}

// On Windows it reads other paths than Node.
describe.skipIf(isWindows || programPath('bash') === undefined)('the script of bash', () => {
  it('is right by bash itself', async () => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: await completions('bash'), encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  it.each<[string[], string[]]>([
    [['ch'], ['chat']],
    [['k'], ['keys']],
    [
      ['keys', ''],
      ['create', 'list', 'revoke'],
    ],
    [['keys', 'create', '--req'], ['--requests-per-minute']],
    [['--log-f'], ['--log-format']],
    [
      ['--log-format', ''],
      ['json', 'pretty'],
    ],
    [
      ['--log-format', '='],
      ['json', 'pretty'],
    ],
    [['--log-format', '=', 'j'], ['json']],
    [
      ['serve', '--balance', 'r'],
      ['round-robin', 'random-of-two'],
    ],
    [['--no-strict'], ['--no-strict-fields']],
    [
      ['chat', '--no-'],
      ['--no-reasoning', '--no-history'],
    ],
    [['chat', '--triton'], []],
    [['chat', '--ca', 'ca'], ['ca.pem']],
    [
      ['repo', 'init', ''],
      ['vllm', 'trtllm', 'llamacpp'],
    ],
    [['repo', 'check', ''], []],
    [['completions', 'f'], ['fish']],
    [['help', 're'], ['repo']],
    [
      ['bench', '--endpoint', 'c'],
      ['chat', 'completions'],
    ],
    [['chat', 'bench', '--comp'], []],
  ])('completes %j', async (words, offers) => {
    writeFileSync(join(folder, 'ca.pem'), '');
    expect(await offered(...words)).toEqual(offers);
  });
});
