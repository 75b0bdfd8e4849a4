import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { begin, countOf, release, streamedChoices, textsOf } from '../gateway/requests.ts';
import { runConch } from '../support/command.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { inRoot, tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { post, sharedGateway } from '../support/gateway.ts';
import { processes, untilClosed } from '../support/processes.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { linkBackends, tritonEnvironment, tritonProgram } from '../support/triton.ts';
import { firstCompleted, type Held, hold } from './holding.ts';
import { acceptsRequests, startTwoWorkers, workersOf } from './two-workers.ts';

let free: SharedConch;
let folder: string;
let conch: Conch;

beforeAll(async () => {
  free = await sharedGateway();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conch-workers-'));
});
afterEach(async () => {
  await conch?.stop();
  rmSync(folder, { recursive: true });
});

async function startTwo(...flags: readonly string[]): Promise<void> {
  conch = await startTwoWorkers('--store', `sqlite:${join(folder, 'responses.sqlite')}`, ...flags);
}

const toy = () => hold({ url: conch.url, control: free.url });
const hello = { model: 'vllm-toy', prompt: directive({ answer: 'hello' }) };
const alone = { connection: 'close' };

async function letGo(held: readonly Held[]): Promise<void> {
  for (const one of held) {
    await one.untilHeld();
    await one.release();
    expect([(await one.response).status, textsOf(await one.response)]).toEqual([200, [' w1 w2']]);
  }
}

describe('--workers 2', { timeout: 240_000 }, () => {
  it('answers with both on one port, and says once what holds for both', async () => {
    await startTwo('--enable-kserve-frontends', '--kserve-http-port', '0', '--kserve-grpc-port', '0');
    const notify = (text: string) => conch.log().filter(({ message }) => String(message).includes(text));
    expect(notify(' listens on http://').map(({ worker }) => worker)).toEqual([1, 1]);
    expect([notify(' listens on grpc://').length, notify('models').length]).toEqual([1, 1]);
    const kserve = String(notify('KServe listens on http://')[0]?.['message']).replace('KServe listens on ', '');
    for (let count = 0; count < 4; count++) {
      expect(textsOf(await post(`${conch.url}/v1/completions`, hello, alone))).toEqual(['hello']);
      const raw = await post(`${kserve}/v2/models/vllm-toy/generate`, { text_input: hello.prompt }, alone);
      expect(raw.body['text_output']).toBe(`${hello.prompt}hello`);
    }
    expect(await conch.stop()).toBe(0);
    for (const path of ['/v1/completions', '/v2/models/vllm-toy/generate']) {
      const completed = conch.log().filter((line) => line['path'] === path);
      expect(new Set(completed.map(({ worker }) => worker))).toEqual(new Set([1, 2]));
    }
  });

  it('keeps limits for all together, and frees the places of workers that are killed', async () => {
    await startTwo('--max-running', '3', '--max-waiting', '2');
    const running = [toy(), toy(), toy()];
    await Promise.all(running.map(({ untilHeld }) => untilHeld()));
    const { response, others } = await firstCompleted([toy(), toy(), toy()]);
    expect([response.status, response.body.error?.['code']]).toEqual([429, 'rate_limit_exceeded']);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await Promise.all(others.map(({ state }) => state()))).toEqual(['unknown', 'unknown']);
    const before = workersOf(conch);
    for (const pid of before) process.kill(pid, 'SIGKILL');
    for (const held of [...running, ...others]) await expect(held.response).rejects.toThrow('fetch failed');
    for (const worker of [1, 2]) {
      const line = await conch.logged(({ message }) => String(message).startsWith(`worker ${worker} ended by signal`));
      expect(line['message']).toBe(`worker ${worker} ended by signal SIGKILL; it restarts in 0.2 s`);
      const again = (one: object) => conch.log().indexOf(one as never) > conch.log().indexOf(line);
      await conch.logged((one) => one['worker'] === worker && acceptsRequests(one) && again(one));
    }
    expect(workersOf(conch).filter((pid) => before.includes(pid))).toEqual([]);
    const next = [toy(), toy(), toy()];
    await Promise.all(next.map(({ untilHeld }) => untilHeld()));
    await letGo(next);
  });

  it('shares responses that are made in the background', async () => {
    await startTwo();
    const at = async (path: string) => {
      const response = await fetch(conch.url + path, { headers: alone });
      return response.text();
    };
    const cancel = (path: string) => post(`${conch.url}${path}/cancel`, {}, alone);
    /** A response that both workers show and stream while one makes it, and that ends in a way. */
    const seenTwice = async (tag: string, end: (path: string) => Promise<unknown>) => {
      const input = directive({ tokens: 3, hold_at: 2, tag });
      const made = await post(`${conch.url}/v1/responses`, { model: 'vllm-toy', input, background: true }, alone);
      const path = `/v1/responses/${String(made.body['id'])}`;
      await countOf(free.url, tag, { until: 'held' });
      // Connections go to the workers in turn: one of the two does not make it.
      const displayed = (await Promise.all([at(path), at(path)])).map((text) => JSON.parse(text) as { status: string });
      const followed = [1, 2].map(() => at(`${path}?stream=true`));
      const ending = await end(path);
      const [one = '', other] = await Promise.all(followed);
      const isComplete = one.includes('event: response.completed');
      return { shown: displayed.map(({ status }) => status), ending, isSame: one === other, isComplete };
    };
    const whileMade = { shown: ['in_progress', 'in_progress'], isSame: true };
    const tag = `shared-${process.pid}`;
    const completed = await seenTwice(`${tag}-1`, () => release(free.url, `${tag}-1`));
    expect(completed).toEqual({ ...whileMade, ending: undefined, isComplete: true });
    const cancelled = await seenTwice(`${tag}-2`, async (path) =>
      [await cancel(path), await cancel(path)].map(({ body }) => body['status']),
    );
    expect(cancelled).toEqual({ ...whileMade, ending: ['cancelled', 'cancelled'], isComplete: false });
  });

  it('passes a hang-up on, and all take over a file that has changed', async () => {
    const file = join(folder, 'conch.yaml');
    writeFileSync(file, 'log_level: info\n');
    await startTwo('--config', file);
    process.kill(conch.pid, 'SIGHUP');
    for (const worker of [1, 2])
      await conch.logged(
        (line) => line['worker'] === worker && String(line['message']).includes('no changes to apply'),
      );
    writeFileSync(file, 'models: {other: {serves: vllm-toy}}\n');
    for (const worker of [1, 2])
      await conch.logged((line) => line['worker'] === worker && String(line['message']).endsWith('models.other'));
    for (let count = 0; count < 2; count++)
      expect((await post(`${conch.url}/v1/completions`, { ...hello, model: 'other' }, alone)).status).toBe(200);
  });

  it('lets the streams of all workers finish when it is asked to stop', async () => {
    await startTwo();
    const stream = (tag: string) => {
      const prompt = directive({ tokens: 3, hold_at: 2, tag });
      return begin(`${conch.url}/v1/completions`, { model: 'vllm-toy', prompt, stream: true }, alone);
    };
    const tags = [1, 2].map((number) => `drained-${process.pid}-${number}`);
    const streams = tags.map(stream);
    await Promise.all(tags.map((tag) => countOf(free.url, tag, { until: 'held' })));
    const stopped = conch.stop();
    for (const worker of [1, 2])
      await conch.logged((line) => line['worker'] === worker && String(line['message']).startsWith('stopping'));
    for (const tag of tags) await release(free.url, tag);
    for (const one of streams)
      expect(streamedChoices({ text: await one.whole() })).toEqual([{ text: ' w1 w2 w3', reasons: ['stop'] }]);
    expect(await stopped).toBe(0);
    expect(processes((words) => words.includes(`sqlite:${join(folder, 'responses.sqlite')}`))).toEqual([]);
  });

  it('leaves no worker behind when it is killed', async () => {
    await startTwo();
    expect(workersOf(conch)).toHaveLength(2);
    process.kill(conch.pid, 'SIGKILL');
    await untilClosed((words) => words.includes(`sqlite:${join(folder, 'responses.sqlite')}`));
  });

  it('ends at once at a second signal', async () => {
    await startTwo();
    const held = toy();
    await held.untilHeld();
    const stopped = conch.stop();
    await conch.logged(({ message }) => String(message).startsWith('stopping'));
    process.kill(conch.pid, 'SIGTERM');
    expect(await stopped).toBe(1);
    await expect(held.response).rejects.toThrow('fetch failed');
    await untilClosed((words) => words.includes(`sqlite:${join(folder, 'responses.sqlite')}`));
  });
});

describe('--workers 2 is refused', () => {
  it.each([
    { flags: [], reason: 'the default model' },
    { flags: ['--model', 'small=x.gguf'], reason: 'small=' },
  ])('with an embedded model: $flags', async ({ flags, reason }) => {
    writeFileSync(join(folder, 'x.gguf'), '');
    const value = flags.map((flag) => flag.replace('x.gguf', join(folder, 'x.gguf')));
    const { code, stdout, stderr } = await runConch(['--workers', '2', '--port', '0', ...value]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^conch: --workers 2 is not supported with .*: the embedded engine runs in one process\. [^\n]*\n$/,
    );
    expect(stderr).toContain(reason);
  });

  it('with --max-loaded', async () => {
    const flags = ['--triton', 'localhost:1', '--load-on-demand', '--max-loaded', '1'];
    const { code, stderr } = await runConch(['--workers', '2', '--port', '0', ...flags]);
    expect([code, stderr]).toEqual([
      2,
      'conch: --max-loaded is not supported with --workers: it counts the models of one process. Remove one of them.\n',
    ]);
  });

  it('by what a worker cannot do, once', async () => {
    const location = `sqlite:${inRoot('package.json')}`;
    const flags = ['--triton', 'localhost:1', '--host', '127.0.0.1', '--port', '0', '--store', location];
    const one = await runConch(flags);
    const two = await runConch([...flags, '--workers', '2']);
    expect([two.code, two.stderr]).toEqual([one.code, one.stderr]);
    expect(one.code).toBe(2);
  });
});

describe('--workers 2 with a tritonserver of our own', { timeout: 300_000 }, () => {
  /** The tritonserver of this test, known by its repository. */
  const isOurs = (words: readonly string[]): boolean =>
    words[0] === tritonProgram() && words.includes(`--model-repository=${join(folder, 'models')}`);

  it('has one for all, follows it when it is started again, and takes it along', async () => {
    linkBackends(folder);
    mkdirSync(join(folder, 'models'));
    symlinkSync(inRoot('test/models/vllm-toy'), join(folder, 'models/vllm-toy'));
    const flags = ['--model-repository', join(folder, 'models'), '--tritonserver', tritonProgram()];
    const more = ['--tokenizer', tokenizerFolder('qwen3'), '--refresh-interval', '100ms', '--store', 'none'];
    conch = await startConch({
      flags: [...flags, ...more, '--workers', '2', '--', `--backend-directory=${folder}`],
      environment: tritonEnvironment(),
      readyMilliseconds: 120_000,
    });
    await conch.logged((line) => line['worker'] === 2 && acceptsRequests(line));
    const responded = async () => {
      const responses = [await post(`${conch.url}/v1/completions`, hello, alone)];
      responses.push(await post(`${conch.url}/v1/completions`, hello, alone));
      return responses.every(({ status }) => status === 200);
    };
    await expect.poll(responded, { timeout: 240_000 }).toBe(true);
    const [pid = 0, ...others] = processes(isOurs);
    expect(others).toEqual([]);
    process.kill(pid, 'SIGKILL');
    const line = await conch.logged(({ message }) => String(message).includes('tritonserver is down'));
    expect(line['worker']).toBeUndefined();
    await expect.poll(responded, { timeout: 240_000 }).toBe(true);
    expect(await conch.stop()).toBe(0);
    await untilClosed(isOurs);
  });
});
