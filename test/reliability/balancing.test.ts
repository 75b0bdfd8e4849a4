import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin, textsOf } from '../gateway/requests.ts';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { post } from '../support/gateway.ts';
import type { Triton } from '../support/triton.ts';
import { complete, serversOf, startOver, startTritons } from './two-servers.ts';

let tritons: Triton[];
beforeAll(async () => {
  tritons = await startTritons(['vllm-toy', 'vllm-llama'], ['vllm-toy']);
});
afterAll(() => Promise.all(tritons.map(({ stop }) => stop())));

const held = (tag: string, text = '') => ({
  model: 'vllm-toy',
  prompt: `${text}${directive({ tokens: 3, hold_at: 1, tag })}`,
  stream: true,
});

/** Runs with a Conch of its own. */
async function over(flags: readonly string[], run: (conch: Conch) => Promise<void>): Promise<void> {
  const conch = await startOver(tritons, ...flags);
  try {
    await run(conch);
  } finally {
    await conch.stop();
  }
}

/** Begins streams that are held, one after another, and gives what each server runs. */
async function runningOf(conch: Conch, prompts: readonly string[]): Promise<number[]> {
  const streams = [];
  for (const [at, prompt] of prompts.entries()) {
    const stream = begin(`${conch.url}/v1/completions`, held(`held-${at}`, prompt));
    await stream.until(' w1');
    streams.push(stream);
  }
  const running = (await serversOf(conch)).map((row) => row.running);
  for (const stream of streams) await stream.leave();
  return running;
}

describe('two servers with the same model', () => {
  it('share the load by how much each has', () =>
    over([], async (conch) => {
      expect(await runningOf(conch, ['', '', '', '', '', ''])).toEqual([3, 3]);
    }));

  it('take turns with round-robin', () =>
    over(['--balance', 'round-robin'], async (conch) => {
      for (let time = 0; time < 6; time++) expect((await complete(conch, { answer: 'x' })).status).toBe(200);
      expect((await serversOf(conch)).map((row) => row.requests)).toEqual([3, 3]);
    }));

  it('get what begins alike together with prefix', () =>
    over(['--balance', 'prefix'], async (conch) => {
      const alike = 'The same long instructions for every request. '.repeat(20);
      const running = await runningOf(conch, [alike, alike, alike, alike]);
      expect(new Set(running)).toEqual(new Set([0, 4]));
      const apart = await runningOf(
        conch,
        ['a ', 'b ', 'c ', 'd '].map((text) => text.repeat(300)),
      );
      expect(apart).toEqual([2, 2]);
    }));
});

describe('a model that one of two servers has', () => {
  it('is answered by that one', () =>
    over([], async (conch) => {
      for (let time = 0; time < 4; time++)
        expect(textsOf(await complete(conch, { answer: 'here' }, { model: 'vllm-llama' }))).toEqual(['here']);
      expect((await serversOf(conch)).map((row) => row.requests)).toEqual([4, 0]);
    }));
});

describe('GET /v1/servers', () => {
  it('tells what there is to know of each', () =>
    over([], async (conch) => {
      await complete(conch, { answer: 'x' }, { model: 'vllm-llama' });
      const rows = await serversOf(conch);
      const row = (at: number, requests: number, models: readonly string[], firstResponse: unknown) => ({
        id: `127.0.0.1:${tritons[at]?.grpcPort}`,
        object: 'server',
        kind: 'triton',
        state: 'ready',
        ready: true,
        running: 0,
        requests,
        failures: 0,
        retried: 0,
        failure_rate: 0,
        ejected_seconds: 0,
        weight: 1,
        first_response_ms: firstResponse,
        last_error: null,
        models: expect.arrayContaining(models.map((name) => ({ name, state: 'READY', breaker: 'closed' }))),
      });
      expect(rows).toEqual([row(0, 1, ['vllm-llama', 'vllm-toy'], expect.any(Number)), row(1, 0, ['vllm-toy'], null)]);
    }));
});

describe('the KServe frontends', () => {
  it('share the load by the same account', () =>
    over(['--enable-kserve-frontends', '--kserve-http-port', '0', '--kserve-grpc-port', '0'], async (conch) => {
      const line = await conch.logged(({ message }) => String(message).startsWith('KServe listens on http'));
      const [, url] = String(line['message']).split('KServe listens on ');
      for (let time = 0; time < 4; time++) {
        const response = await post(`${url}/v2/models/vllm-toy/generate`, {
          text_input: directive({ answer: 'k' }),
          stream: false,
        });
        expect(response.status).toBe(200);
      }
      expect((await serversOf(conch)).map((row) => row.requests)).toEqual([2, 2]);
    }));
});
