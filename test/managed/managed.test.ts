import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Conch, startConch } from '../support/conch.ts';
import { inRoot, tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post } from '../support/gateway.ts';
import { processes, untilClosed } from '../support/processes.ts';
import { linkBackends, tritonEnvironment, tritonProgram } from '../support/triton.ts';

let folder: string;
let conch: Conch | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conch-managed-'));
  linkBackends(folder);
  mkdirSync(join(folder, 'models'));
  symlinkSync(inRoot('test/models/vllm-toy'), join(folder, 'models/vllm-toy'));
});

afterEach(async () => {
  await conch?.stop();
  conch = undefined;
  await untilClosed(isOurs);
  rmSync(folder, { recursive: true, force: true });
});

/** The tritonserver of this test, known by its repository. */
const isOurs = (words: readonly string[]): boolean =>
  words[0] === tritonProgram() && words.includes(`--model-repository=${join(folder, 'models')}`);

function flags(): string[] {
  return [
    '--model-repository',
    join(folder, 'models'),
    '--tritonserver',
    tritonProgram(),
    '--tokenizer',
    tokenizerFolder('qwen3'),
    '--refresh-interval',
    '100ms',
    '--',
    `--backend-directory=${folder}`,
  ];
}

async function start(): Promise<Conch> {
  conch = await startConch({ flags: flags(), environment: tritonEnvironment(), readyMilliseconds: 120_000 });
  return conch;
}

const ask = (content: string, rest: object = {}) => ({
  model: 'vllm-toy',
  messages: [{ role: 'user', content }],
  ...rest,
});

describe('conch --model-repository', { timeout: 300_000 }, () => {
  it('starts tritonserver, passes its log on, serves its models, and takes it along when it stops', async () => {
    const { url, log, stop } = await start();
    const { body } = await post(`${url}/v1/chat/completions`, ask(directive({ answer: 'from a child' })));
    expect(body['choices']).toEqual([
      {
        index: 0,
        message: { role: 'assistant', content: 'from a child', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ]);
    expect(
      log().some(({ message, level }) => level === 'info' && String(message).includes('Started GRPCInferenceService')),
    ).toBe(true);
    expect(processes(isOurs)).toHaveLength(1);
    expect(await stop()).toBe(0);
    await untilClosed(isOurs);
  });

  it('ends every stream with an error when tritonserver is killed, and serves again when it is back', async () => {
    const { url, logged } = await start();
    const held = Array.from({ length: 64 }, (_, index) =>
      post(
        `${url}/v1/chat/completions`,
        ask(directive({ tokens: 40, hold_at: 5, tag: `t${index}` }), { stream: true }),
      ),
    );
    await Promise.all(
      held.map((_, index) =>
        post(`${url}/v1/chat/completions`, ask(directive({ count_of: `t${index}`, until: 'held' }))),
      ),
    );
    for (const pid of processes(isOurs)) process.kill(pid, 'SIGKILL');
    for (const { status, text } of await Promise.all(held)) {
      expect(status).toBe(200);
      expect(eventsOf(text).at(-1)).toEqual({
        error: {
          message: 'The server of this model is unreachable.',
          type: 'server_error',
          param: null,
          code: 'server_unreachable',
        },
      });
    }
    await logged(({ message }) => String(message).includes('tritonserver is down'));
    const meanwhile = await post(`${url}/v1/chat/completions`, ask('hello'));
    expect(meanwhile.status).toBe(503);
    expect(Number(meanwhile.headers.get('retry-after'))).toBeGreaterThan(0);
    await untilCompleted(url);
    const { body } = await post(`${url}/v1/chat/completions`, ask(directive({ answer: 'back' })));
    expect(body['choices']).toMatchObject([{ message: { content: 'back' }, finish_reason: 'stop' }]);
  });

  it('restarts tritonserver when the engine of a model has failed', async () => {
    const { url, logged } = await start();
    const killed = await post(`${url}/v1/chat/completions`, ask(directive({ tokens: 3, die_at: 0 })));
    expect([killed.status, killed.headers.get('x-should-retry')]).toEqual([503, 'false']);
    await logged(({ message }) =>
      String(message).startsWith('Restarting tritonserver: the engine of the model vllm-toy '),
    );
    await logged(({ message }) => message === 'The engine failure of the model vllm-toy on tritonserver is over.');
    await untilCompleted(url);
    const { body } = await post(`${url}/v1/chat/completions`, ask(directive({ answer: 'back' })));
    expect(body['choices']).toMatchObject([{ message: { content: 'back' }, finish_reason: 'stop' }]);
  });

  it('leaves no tritonserver behind when it is killed', async () => {
    const { pid } = await start();
    expect(processes(isOurs)).toHaveLength(1);
    process.kill(pid, 'SIGKILL');
    await untilClosed(isOurs);
  });
});

async function untilCompleted(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/health/ready`);
    await response.arrayBuffer();
    if (response.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
