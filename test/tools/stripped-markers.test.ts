import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { user } from '../gateway/requests.ts';
import { runConch } from '../support/command.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { post } from '../support/gateway.ts';
import { startTrtllm, type Trtllm } from '../support/trtllm.ts';
import { chainModels } from '../support/trtllm-repository.ts';
import { tools } from './requests.ts';

const patience = 180_000;
const models = ['ensemble', 'llmapi'] as const;
let triton: Trtllm;
let conch: Conch;
let flags: string[];

beforeAll(async () => {
  triton = await startTrtllm({ models: [...chainModels, 'llmapi'] });
  flags = ['--triton', `127.0.0.1:${triton.grpcPort}`, '--contract', 'ensemble=trtllm'];
  for (const model of models)
    flags.push(
      '--tokenizer',
      `${model}=${tokenizerFolder('qwen3')}`,
      '--tool-call-parser',
      `${model}=mistral`,
      '--reasoning-parser',
      `${model}=gpt-oss`,
    );
  conch = await startConch({ flags });
}, patience);
afterAll(async () => {
  await conch.stop();
  await triton.stop();
});

const remedies = {
  ensemble:
    'Use its engine directly, which keeps them: set --contract ensemble=trtllm-tokens and --tokenizer ensemble=DIR.',
  llmapi: 'Serve the engine as a tensorrt_llm model, which keeps them.',
};

describe.each(models)('a server that takes special tokens out of the text: %s', (model) => {
  it('refuses tools whose calls are written with them, by name', async () => {
    const { status, body } = await post(`${conch.url}/v1/chat/completions`, { model, messages: user('x'), tools });
    expect([status, body.error]).toEqual([
      400,
      {
        message:
          'tools: this model writes tool calls with special tokens, which its server removes from the text. ' +
          'Set tool_choice to required or to a function, if the backend supports guided decoding.',
        type: 'invalid_request_error',
        param: 'tools',
        code: 'unsupported_parameter',
      },
    ]);
  });

  it('is explained by the doctor, with the remedy', async () => {
    const { stdout, code } = await runConch(['doctor', model, ...flags]);
    expect(code).toBe(0);
    const lines = stdout.split('\n').map((line) => line.trim());
    const notify = (what: string) => lines.some((line) => line.endsWith(`${what} ${remedies[model]}`));
    expect([
      notify('Its tool calls contain special tokens, which its server removes, so Conch rejects tools.'),
      notify(
        'Its reasoning is marked with special tokens, which its server removes, so it is part of the response text.',
      ),
    ]).toEqual([true, true]);
  });
});
