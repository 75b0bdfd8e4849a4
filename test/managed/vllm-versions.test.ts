import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runConch } from '../support/command.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { post } from '../support/gateway.ts';
import { linkBackends, tritonEnvironment, tritonProgram } from '../support/triton.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-vllm-versions-'));
const repository = join(folder, 'models');
const program = join(folder, 'tritonserver');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const flags = ['--model-repository', repository, '--tritonserver', program];
const rawPrompts = 'Passing raw prompts to InputProcessor is not supported.';
const advice = (pin: string): string =>
  `Triton's vLLM backend does not support the installed version of vLLM. Install ${pin}, ` +
  'or create a model that supports it: conch repo init vllm --conch.';

beforeAll(async () => {
  linkBackends(folder);
  writeFileSync(program, `#!/bin/sh\nexec ${tritonProgram()} "$@" --backend-directory=${folder}\n`, { mode: 0o755 });
  const common = ['--repository', repository, '--model', '/nowhere', '--max-model-len', '2048'];
  const init = (name: string, toy: object) =>
    runConch([
      'repo',
      'init',
      'vllm',
      name,
      ...common,
      '--tokenizer',
      tokenizerFolder('qwen3'),
      '--set',
      `toy=${JSON.stringify(toy)}`,
    ]);
  await init('unloaded', { missing_module: 'vllm.inputs.data' });
  await init('raw', { request_error: rawPrompts });
});

describe('a vLLM that the backend does not support', { timeout: 180_000 }, () => {
  let conch: Conch;
  beforeAll(async () => {
    conch = await startConch({ flags, environment: tritonEnvironment(), readyMilliseconds: 100_000 });
  }, 120_000);
  afterAll(() => conch.stop());

  const errorOf = async (model: string) => {
    const { status, body } = await post(`${conch.url}/v1/completions`, { model, prompt: 'The sea is' });
    return [status, body.error?.['code'], body.error?.['message']];
  };

  it('is named in the error and in the log when a request fails', async () => {
    const message = `The backend failed: ${advice('vllm<0.33')}`;
    expect(await errorOf('raw')).toEqual([502, 'backend_error', message]);
    const line = await conch.logged(({ reason }) => reason !== undefined);
    expect([line['level'], line['code'], line['reason'], line['cause']]).toEqual([
      'error',
      'backend_error',
      message,
      expect.stringContaining(rawPrompts),
    ]);
  });

  it('is named in the error and in the log when a model cannot be loaded', async () => {
    const message = `The model "unloaded" does not exist. It is not served: it could not be loaded. ${advice('vllm<0.19')}`;
    expect(await errorOf('unloaded')).toEqual([404, 'model_not_found', message]);
    const line = await conch.logged(({ message: text }) => String(text).includes('could not be loaded'));
    expect(line['message']).toContain(`: ${advice('vllm<0.19')} `);
    expect(line['message']).toContain("No module named 'vllm.inputs.data'");
  });

  it('is diagnosed by conch doctor', async () => {
    const { stdout, code } = await runConch(['doctor', '--probe', '--json', ...flags], tritonEnvironment());
    const { models } = JSON.parse(stdout) as {
      models: { model: string; reason?: string; probe?: { error: string } }[];
    };
    const [raw, unloaded] = models;
    expect([code, models.map(({ model }) => model)]).toEqual([1, ['raw', 'unloaded']]);
    expect(raw?.probe?.error).toBe(`The backend failed: ${advice('vllm<0.33')}`);
    expect(unloaded?.reason?.split('\n')[0]).toBe(advice('vllm<0.19'));
  });
});
