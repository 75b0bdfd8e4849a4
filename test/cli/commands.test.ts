import { readFileSync } from 'node:fs';
import { expect, inject, it } from 'vitest';
import { runConch } from '../support/command.ts';
import { inRoot } from '../support/environment.ts';
import { PseudoTerminal } from './pseudo-terminal.ts';

it('conch completions prints the scripts that the unit tests have checked', async () => {
  const script = readFileSync(inRoot('src/cli/__snapshots__/completions.bash'), 'utf8');
  expect(await runConch(['completions', 'bash'])).toEqual({ code: 0, stdout: script, stderr: '' });
});

it('conch models --json prints the table as JSON', async () => {
  const { code, stdout } = await runConch(['models', '--triton', `127.0.0.1:${inject('triton').grpcPort}`, '--json']);
  const { models } = JSON.parse(stdout) as { models: Record<string, unknown>[] };
  expect(code).toBe(0);
  expect(models.find(({ name }) => name === 'vllm-toy')).toEqual({
    name: 'vllm-toy',
    version: '1',
    server: `127.0.0.1:${inject('triton').grpcPort}`,
    contract: 'vllm',
    tokenizer: '-',
    state: 'READY',
    reason: '',
  });
});

it('help has bold headings on a terminal alone, and none with NO_COLOR', async () => {
  const { code, stdout } = await runConch(['chat', '--help']);
  expect([code, stdout.includes('\u001b')]).toEqual([0, false]);
  const displayedWith = async (environment: Readonly<Record<string, string>>): Promise<string> => {
    const terminal = new PseudoTerminal(['chat', '--help'], environment);
    expect(await terminal.exitCode).toBe(0);
    return terminal.raw;
  };
  expect(await displayedWith({})).toContain('\u001b[1mUsage:\u001b[22m conch chat [flags] [MODEL] [PROMPT] [-- …]');
  expect(await displayedWith({ NO_COLOR: '1' })).not.toContain('\u001b');
});
