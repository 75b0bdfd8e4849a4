import { afterEach, describe, expect, it } from 'vitest';
import { begin, textsOf } from '../gateway/requests.ts';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post } from '../support/gateway.ts';
import { commandLine, descendants } from '../support/processes.ts';
import type { Triton } from '../support/triton.ts';
import { complete, serversOf, startOver, startTritons, tellToy } from './two-servers.ts';

/** A guide that ends the toy's engine. */
const killer = { guided_regex: 'killsTheEngine' };
const hour = '--engine-check-interval=1h';

let tritons: Triton[] = [];
let conch: Conch | undefined;
afterEach(async () => {
  await conch?.stop();
  await Promise.all(tritons.map(({ stop }) => stop()));
  [tritons, conch] = [[], undefined];
});

async function start(servers: number, ...flags: readonly string[]): Promise<Conch> {
  tritons = await startTritons(...Array.from({ length: servers }, () => ['vllm-toy']));
  conch = await startOver(tritons, ...flags);
  return conch;
}

function firstTriton(): Triton {
  const [first] = tritons;
  if (!first) throw new Error('No tritonserver was started');
  return first;
}

/** Ends the process of Triton's Python backend that runs the toy, as the kernel does when memory is short. */
function killStub({ pid }: Triton): void {
  const stub = descendants(pid).find((child) => {
    const words = commandLine(child);
    return words[0]?.endsWith('triton_python_backend_stub') && words.some((word) => word.includes('vllm-toy'));
  });
  if (stub === undefined) throw new Error('The backend process was not found');
  process.kill(stub, 'SIGKILL');
}

async function listed({ url }: Conch): Promise<string[]> {
  const response = await fetch(`${url}/v1/models`);
  return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
}

async function ready({ url }: Conch): Promise<unknown[]> {
  const response = await fetch(`${url}/health/ready`);
  return [response.status, await response.json()];
}

async function untilReady(of: Conch): Promise<void> {
  while ((await ready(of))[0] !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
}

const byText = (one: string, other: string): number => one.localeCompare(other);
const states = (rows: Awaited<ReturnType<typeof serversOf>>) =>
  rows.map(({ models }) => String(models.find(({ name }) => name === 'vllm-toy')?.state)).toSorted(byText);

const failed = (message: string, param: string | null = null) => ({
  error: { message, type: 'server_error', param, code: 'model_not_ready' },
});
const engineFailed = failed('The engine behind this model has failed.');

describe('a guide that ends an engine', { timeout: 240_000 }, () => {
  it('runs once: the other engine lives and serves', async () => {
    const over = await start(2, '--engine-recovery=off', hour);
    const result = await complete(over, {}, killer);
    expect([result.status, result.body]).toEqual([503, engineFailed]);
    expect(['retry-after', 'x-should-retry'].map((name) => result.headers.get(name))).toEqual(['10', 'false']);
    const rows = await serversOf(over);
    expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(1);
    expect(states(rows)).toEqual(['FAILED', 'READY']);
    for (let time = 0; time < 4; time++) expect(textsOf(await complete(over, { answer: 'well' }))).toEqual(['well']);
    expect((await ready(over))[0]).toBe(200);
    expect((await fetch(`${over.url}/metrics`).then((response) => response.text())).split('\n')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^conch_engine_down\{server="127\.0\.0\.1:\d+",model="vllm-toy"\} 1$/),
        expect.stringMatching(/^conch_engine_failures_total\{server="127\.0\.0\.1:\d+",model="vllm-toy"\} 1$/),
      ]),
    );
    expect(over.log().filter(({ message }) => String(message).includes('has failed on'))).toMatchObject([
      {
        message: expect.stringMatching(
          /^The engine of the model vllm-toy has failed on 127\.0\.0\.1:\d+ \(detected by request \S+\)\. /,
        ),
      },
    ]);
  });

  it('takes the model out of the lists until it is loaded', async () => {
    const over = await start(1, '--engine-recovery=off', hour);
    const running = begin(`${over.url}/v1/completions`, {
      model: 'vllm-toy',
      prompt: directive({ tokens: 9, hold_at: 2 }),
      stream: true,
    });
    await running.until(' w2');
    expect((await complete(over, {}, killer)).body).toEqual(engineFailed);
    expect(eventsOf(await running.whole()).at(-1)).toEqual(engineFailed);
    expect(await listed(over)).toEqual([]);
    const reason = 'No model is ready. The engine of vllm-toy has failed.';
    expect(await ready(over)).toEqual([503, { status: 'not ready', reason }]);
    const refused = await complete(over, { answer: 'one' });
    const outlook = 'It must be reloaded on its server.';
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('x-should-retry')]).toEqual([
      503,
      '10',
      null,
    ]);
    expect(refused.body).toEqual(failed(`The engine of the model vllm-toy has failed. ${outlook}`, 'model'));
    expect((await post(`${over.url}/v1/models/vllm-toy/load`, {})).status).toBe(200);
    expect(textsOf(await complete(over, { answer: 'back' }))).toEqual(['back']);
    expect(await listed(over)).toEqual(['vllm-toy']);
  });

  it('is forgotten when the engine works again by itself', async () => {
    const over = await start(1, '--engine-recovery=off', hour);
    expect((await complete(over, {}, killer)).status).toBe(503);
    await tellToy(firstTriton(), { revive: true, answer: 'back' });
    await untilReady(over);
    expect(textsOf(await complete(over, { answer: 'back' }))).toEqual(['back']);
  });

  it('is followed by a reload, in all workers', async () => {
    const over = await start(1, '--workers=2', hour);
    await over.logged(({ worker, message }) => worker === 2 && String(message).includes('accepts requests on'));
    expect((await complete(over, {}, killer)).status).toBe(503);
    await over.logged(({ message }) => String(message).startsWith('Reloading the model vllm-toy on'));
    await over.logged(({ message }) => String(message).startsWith('The engine failure of the model vllm-toy on'));
    for (let time = 0; time < 6; time++) {
      await untilReady(over);
      expect(textsOf(await complete(over, { answer: 'well' }))).toEqual(['well']);
    }
  });
});

describe('a backend process that is killed', { timeout: 240_000 }, () => {
  it('ends the streams that wait for it, and is replaced', async () => {
    const over = await start(1);
    const running = Array.from({ length: 3 }, () =>
      begin(`${over.url}/v1/completions`, {
        model: 'vllm-toy',
        prompt: directive({ tokens: 9, hold_at: 2 }),
        stream: true,
      }),
    );
    await Promise.all(running.map((stream) => stream.until(' w2')));
    const waiting = complete(over, { tokens: 3, start_delay_ms: 60_000 });
    killStub(firstTriton());
    const processFailed = failed('The backend process behind this model has failed.');
    for (const stream of running) expect(eventsOf(await stream.whole()).at(-1)).toEqual(processFailed);
    const { status, body, headers } = await waiting;
    expect([status, body, headers.get('x-should-retry')]).toEqual([503, processFailed, 'false']);
    await untilReady(over);
    expect(textsOf(await complete(over, { answer: 'back' }))).toEqual(['back']);
  });

  it('is found while nothing runs', async () => {
    const over = await start(1, '--engine-recovery=off', '--engine-check-interval=200ms');
    killStub(firstTriton());
    await over.logged(({ message }) =>
      /^The backend process of the model vllm-toy has failed on \S+ \(detected by a probe\)/.test(String(message)),
    );
    expect((await ready(over))[0]).toBe(503);
  });
});
