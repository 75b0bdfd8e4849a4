import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin } from '../gateway/requests.ts';
import type { Conch } from '../support/conch.ts';
import { eventsOf } from '../support/gateway.ts';
import { type RealVllm, realModel, startRealVllm } from '../support/real-vllm.ts';
import { chat, contentOf, listedModels, patience, readiness, startOverVllm, untilReadiness } from './over-vllm.ts';

let server: RealVllm;
let conch: Conch;

beforeAll(async () => {
  server = await startRealVllm({ modelControl: 'explicit' });
  conch = await startOverVllm([server]);
}, patience);

afterAll(async () => {
  await conch?.stop();
  await server?.stop();
}, patience);

const failed = (message: string) => ({
  error: { message, type: 'server_error', param: null, code: 'model_not_ready' },
});
const engineFailed = failed('The engine behind this model has failed.');
const processFailed = failed('The backend process behind this model has failed.');

/** A stream that lasts until it is ended, once its first text has come. */
async function longStream() {
  const stream = begin(`${conch.url}/v1/completions`, {
    model: realModel,
    prompt: 'Once upon a time',
    max_tokens: 1500,
    ignore_eos: true,
    stream: true,
  });
  await stream.until('"text":"');
  return stream;
}

/** One that was replaced may still be ending beside the one that serves. */
function kill(pids: readonly number[]): void {
  expect(pids).not.toEqual([]);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
}

/** Resolves when the model takes requests again. */
async function untilBack(): Promise<void> {
  await untilReadiness(conch, 200);
  expect(contentOf(await chat(conch))).not.toBe('');
  expect(await listedModels(conch)).toEqual([realModel]);
}

describe('an engine process that is killed', { timeout: patience }, () => {
  it('ends its streams, takes the model out of service, and is replaced', async () => {
    const streams = await Promise.all([longStream(), longStream()]);
    kill(server.engines());
    for (const stream of streams) expect(eventsOf(await stream.whole()).at(-1)).toEqual(engineFailed);
    expect(await readiness(conch)).toEqual({
      status: 503,
      body: { status: 'not ready', reason: expect.stringContaining(`The engine of ${realModel} has failed.`) },
    });
    expect(await listedModels(conch)).toEqual([]);
    const refused = await chat(conch);
    expect([refused.status, refused.body.error?.['code']]).toEqual([503, 'model_not_ready']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await untilBack();
    expect(server.engines()).toHaveLength(1);
  });

  it('quarantines the guide that it had only begun with', async () => {
    const guide = { guided_regex: '[a-f]{20}' };
    const [engine] = server.engines() as [number];
    process.kill(engine, 'SIGSTOP');
    const requested = chat(conch, guide);
    await untilRunning(1);
    process.kill(engine, 'SIGKILL');
    const { status, body, headers } = await requested;
    expect([status, body, headers.get('x-should-retry')]).toEqual([503, engineFailed, 'false']);
    await untilBack();
    const again = await chat(conch, guide);
    expect([again.status, again.body.error?.['code'], again.body.error?.['param']]).toEqual([
      400,
      'guide_quarantined',
      'guided_regex',
    ]);
  });
});

describe('a backend process that is killed', { timeout: patience }, () => {
  it('ends the streams that wait for it at once, and is replaced', async () => {
    await untilBack();
    const streams = await Promise.all([longStream(), longStream()]);
    const killedAt = Date.now();
    kill(server.stubs());
    for (const stream of streams) expect(eventsOf(await stream.whole()).at(-1)).toEqual(processFailed);
    // Without Conch they wait for ever.
    expect(Date.now() - killedAt).toBeLessThan(60_000);
    const refused = await chat(conch);
    expect([refused.status, refused.body.error?.['code']]).toEqual([503, 'model_not_ready']);
    expect((await readiness(conch)).status).toBe(503);
    await untilBack();
  });
});

/** Resolves when so many requests run on the server, as /v1/servers says. */
async function untilRunning(count: number): Promise<void> {
  for (;;) {
    const response = await fetch(`${conch.url}/v1/servers`);
    const { data } = (await response.json()) as { data: { running: number }[] };
    if (data[0]?.running === count) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
