import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { runProgram } from '../support/program.ts';
import { pythonEnvironment } from '../support/python-environment.ts';
import { key, startAgentGateway } from './gateway.ts';

// aider and LiteLLM, from PyPI. aider uses no tools: it reads the edits from the text.

let conch: Conch;
let programs: string;
let folder: string;
beforeAll(async () => {
  programs = await pythonEnvironment('aider', 'scripts/aider-requirements.txt');
  conch = await startAgentGateway();
  folder = mkdtempSync(join(tmpdir(), 'conch-aider-'));
}, 1_200_000);
afterAll(async () => {
  await conch.stop();
  rmSync(folder, { recursive: true, force: true });
});

const line = 'Shell 7 is a whelk.';
const options = [
  '--edit-format=whole',
  '--no-git',
  '--yes-always',
  '--no-check-update',
  '--analytics-disable',
  '--no-show-model-warnings',
  '--no-show-release-notes',
];

async function runAider(model: string, environment: Record<string, string>, words: readonly string[]) {
  return runProgram(join(programs, 'python'), ['-m', 'aider', ...options, '--model', model, ...words], {
    folder,
    environment: { HOME: folder, ...environment },
  });
}

describe('aider', () => {
  const openai = (apiKey = key) => ({ OPENAI_API_BASE: `${conch.url}/v1`, OPENAI_API_KEY: apiKey });

  it.each([
    ['OpenAI', 'openai/agent', openai],
    ['Ollama', 'ollama_chat/agent', () => ({ OLLAMA_API_BASE: conch.url, OLLAMA_API_KEY: key })],
  ] as const)("edits a file through LiteLLM's route for %s", async (name, model, environment) => {
    const file = `${name}.txt`;
    const edit = directive({ answer: `${file}\n\`\`\`\n${line}\n\`\`\`\n` });
    const { code, stdout } = await runAider(model, environment(), ['--message', `Write shell 7 down. ${edit}`, file]);
    expect(stdout).toContain(`Applied edit to ${file}`);
    expect(code).toBe(0);
    expect(readFileSync(join(folder, file), 'utf8')).toBe(`${line}\n`);
  });

  it('shows that the API key is wrong', async () => {
    const { stdout } = await runAider('openai/agent', openai('wrong'), ['--message', 'What is a conch?']);
    expect(stdout).toMatch(/AuthenticationError/);
  });

  it('shows that the prompt is too long', async () => {
    const { stdout } = await runAider('openai/agent-small', openai(), ['--message', 'What is a conch?']);
    expect(stdout).toMatch(/has hit a token limit/);
  });
});
