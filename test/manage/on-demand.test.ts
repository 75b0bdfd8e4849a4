import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { begin, streamedChoices, textsOf } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, type Response } from '../support/gateway.ts';
import { linkBackends, startTriton, type Triton, tritonEnvironment, tritonProgram } from '../support/triton.ts';
import { indexOf, toyRepository } from './repository.ts';

const patience = 600_000;
let conch: Conch | undefined;
let triton: Triton | undefined;
const folders: string[] = [];

afterEach(async () => {
  await conch?.stop();
  await triton?.stop();
  conch = undefined;
  triton = undefined;
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function start(
  models: Parameters<typeof toyRepository>,
  flags: readonly string[] = [],
  loadModels: readonly string[] = [],
): Promise<{ readonly url: string; readonly server: Triton; readonly gate: string }> {
  const repository = toyRepository(...models);
  folders.push(repository);
  const gate = join(repository, 'gate');
  const environment = { CONCH_TEST_LOAD_GATE: gate };
  triton = await startTriton({ repository, modelControl: 'explicit', loadModels, environment });
  const address = `127.0.0.1:${triton.grpcPort}`;
  conch = await startConch({ flags: ['--triton', address, '--load-on-demand', ...flags] });
  return { url: conch.url, server: triton, gate };
}

const complete = (url: string, model: string, response = 'here'): Promise<Response> =>
  post(`${url}/v1/completions`, { model, prompt: directive({ answer: response }) });
/** Asks a model that must be loaded for it. */
const use = async (url: string, model: string): Promise<void> =>
  expect((await complete(url, model)).body).toMatchObject({ model, choices: [{ text: 'here' }] });
const listed = async (url: string): Promise<Record<string, unknown>[]> => {
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: Record<string, unknown>[] };
  return data;
};
const loadedIn = (index: Readonly<Record<string, string>>): string[] =>
  Object.keys(index).filter((name) => index[name] !== '' && index[name] !== 'UNAVAILABLE');

/** Asks for the index over and over until it is told to stop; gives the most models that were loaded at once. */
function watch(server: Triton): () => Promise<{ readonly most: number; readonly looks: number; seen: Set<string> }> {
  const stop = new AbortController();
  const seen = new Set<string>();
  const run = async () => {
    let most = 0;
    let looks = 0;
    for (; !stop.signal.aborted; looks++) {
      const loaded = loadedIn(await indexOf(server));
      for (const name of loaded) seen.add(name);
      most = Math.max(most, loaded.length);
    }
    return { most, looks, seen };
  };
  const running = run();
  return () => {
    stop.abort();
    return running;
  };
}

describe('--load-on-demand', { timeout: patience }, () => {
  it('has room for two of three models under traffic, and loses nothing', async () => {
    const models = ['red', 'green', 'blue'];
    const { url, server } = await start([models], ['--max-loaded', '2', '--unload-timeout', '10m']);
    const stopWatching = watch(server);
    const ask = async (worker: number, round: number): Promise<void> => {
      const model = models[(worker + round) % models.length] ?? '';
      const text = `${model} for ${worker} in round ${round}`;
      const prompt = directive({ answer: text, delay_ms: 5 });
      const stream = (worker + round) % 2 === 0;
      const response = await post(`${url}/v1/completions`, { model, prompt, stream });
      expect([response.status, response.body.error]).toEqual([200, undefined]);
      expect(stream ? streamedChoices(response).map((choice) => choice.text) : textsOf(response)).toEqual([text]);
    };
    await Promise.all(
      Array.from({ length: 6 }, async (_, worker) => {
        for (let round = 0; round < 3; round++) await ask(worker, round);
      }),
    );
    const { most, looks, seen } = await stopWatching();
    expect(most).toBe(2);
    expect(looks).toBeGreaterThan(20);
    expect([...seen].toSorted()).toEqual(['blue', 'green', 'red']);
  });

  it('unloads the model that was used the longest time ago, but not one that has requests', async () => {
    const { url, server } = await start([['a', 'b', 'c']], ['--max-loaded', '2']);
    await use(url, 'a');
    await use(url, 'b');
    await use(url, 'a');
    await use(url, 'c');
    expect(loadedIn(await indexOf(server))).toEqual(['a', 'c']);
    const held = directive({ tokens: 4, hold_at: 2, tag: 'held' });
    const stream = begin(`${url}/v1/completions`, { model: 'a', prompt: held, stream: true });
    await stream.until('w2');
    await use(url, 'c');
    await use(url, 'b');
    expect(loadedIn(await indexOf(server))).toEqual(['a', 'b']);
    await post(`${url}/v1/completions`, { model: 'a', prompt: directive({ release: 'held' }) });
    expect(eventsOf(await stream.whole()).at(-1)).toBe('[DONE]');
  });

  it('lets one load do for all that wait, serves others meanwhile, and lists what can be loaded', async () => {
    const { url, server, gate } = await start([['quick', 'slow'], { slow: 'waits' }]);
    const entry = (id: string) => ({
      id,
      object: 'model',
      created: expect.any(Number),
      owned_by: 'triton',
      state: 'unloaded',
    });
    expect(await (await fetch(`${url}/health/ready`)).json()).toEqual({ status: 'ready' });
    expect(await listed(url)).toEqual([entry('quick'), entry('slow')]);
    expect(await (await fetch(`${url}/v1/models/slow`)).json()).toEqual(entry('slow'));
    const waiting = Array.from({ length: 5 }, (_, index) => complete(url, 'slow', `answer ${index}`));
    expect(textsOf(await complete(url, 'quick'))).toEqual(['here']);
    expect(await indexOf(server)).toEqual({ quick: 'READY', slow: 'LOADING' });
    expect((await listed(url)).map(({ id, state }) => [id, state])).toEqual([
      ['quick', undefined],
      ['slow', 'unloaded'],
    ]);
    writeFileSync(gate, '');
    expect((await Promise.all(waiting)).flatMap(textsOf)).toEqual([0, 1, 2, 3, 4].map((index) => `answer ${index}`));
    expect(server.log().split("successfully loaded 'slow'").length - 1).toBe(1);
    const unknown = await complete(url, 'nobody');
    expect([unknown.status, unknown.body.error?.['code']]).toEqual([404, 'model_not_found']);
  });

  it('tells why a load failed, and does not try again for every request', async () => {
    const { url, server } = await start([['good', 'bad'], { bad: 'breaks' }]);
    const address = `127.0.0.1:${server.grpcPort}`;
    const reason = "Internal: JSONDecodeError: Expecting ',' delimiter: line 1 column 13 (char 12)";
    const message = `The model bad could not be loaded: ${address}: ${reason}.`;
    for (let turn = 0; turn < 5; turn++) {
      const { status, body, headers } = await complete(url, 'bad');
      expect({ status, body, retryAfter: headers.get('retry-after') }).toEqual({
        status: 503,
        body: { error: { message, type: 'server_error', param: 'model', code: 'model_not_ready' } },
        retryAfter: '5',
      });
    }
    expect(server.log().split("failed to load 'bad' version 1").length - 1).toBe(1);
    expect(textsOf(await complete(url, 'good'))).toEqual(['here']);
  });

  it('gives up after --load-timeout, lets go of clients that left, and serves what is loaded meanwhile', async () => {
    const { url, gate } = await start([['slow', 'other'], { slow: 'waits' }], ['--load-timeout', '15s'], ['other']);
    const leaving = begin(`${url}/v1/completions`, { model: 'slow', prompt: 'hello' });
    const waiting = complete(url, 'slow');
    expect(textsOf(await complete(url, 'other'))).toEqual(['here']);
    await leaving.leave();
    await conch?.logged(({ status, model }) => status === 499 && model === 'slow');
    const { status, body } = await waiting;
    expect({ status, code: body.error?.['code'] }).toEqual({ status: 503, code: 'model_not_ready' });
    // Triton goes on loading, and what it has loaded is served.
    writeFileSync(gate, '');
    await conch?.logged(({ models }) =>
      ((models ?? []) as { name: string; state: string }[]).some(
        ({ name, state }) => name === 'slow' && state === 'READY',
      ),
    );
    expect(textsOf(await complete(url, 'slow'))).toEqual(['here']);
  });
});

/** Toys for tritonserver and SmolLM2 for the engine in the process, in one repository. */
function mixedRepository(): string {
  const folder = toyRepository(['toy']);
  folders.push(folder);
  const cache = process.env['CONCH_TEST_CACHE'] ?? '';
  for (const name of ['small', 'smaller']) {
    mkdirSync(join(folder, name, '1'), { recursive: true });
    writeFileSync(join(folder, name, 'config.pbtxt'), 'backend: "llamacpp"\n');
    const model = join(cache, '..', 'models', 'SmolLM2-135M-Instruct.Q4_1.gguf');
    symlinkSync(model, join(folder, name, '1', 'model.gguf'));
  }
  return folder;
}

describe('a managed tritonserver and the engine in the process', { timeout: patience }, () => {
  it('load on demand and by order, each what is its own, with room for one', async () => {
    const folder = mixedRepository();
    const backends = mkdtempSync(join(tmpdir(), 'conch-backends-'));
    folders.push(backends);
    linkBackends(backends);
    const repository = ['--model-repository', folder, '--tritonserver', tritonProgram()];
    conch = await startConch({
      flags: [
        ...repository,
        '--model-control-mode',
        'explicit',
        '--load-on-demand',
        '--max-loaded',
        '1',
        '--context-length',
        '512',
        '--refresh-interval',
        '200ms',
        '--',
        `--backend-directory=${backends}`,
      ],
      environment: tritonEnvironment(),
      waitsUntilReady: false,
    });
    const { url } = conch;
    while ((await listed(url)).length < 3) await new Promise((resolve) => setTimeout(resolve, 50));
    const states = async () =>
      (await listed(url))
        .map(({ id, state }) => [String(id), state] as const)
        .toSorted(([a], [b]) => a.localeCompare(b));
    const ask = (model: string) =>
      post(`${url}/v1/completions`, { model, prompt: 'The sea is', max_tokens: 4, temperature: 0 });
    expect(textsOf(await complete(url, 'toy'))).toEqual(['here']);
    const small = await ask('small');
    expect(small.status).toBe(200);
    expect(await states()).toEqual([
      ['small', undefined],
      ['smaller', 'unloaded'],
      ['toy', 'unloaded'],
    ]);
    const both = await Promise.all([ask('smaller'), ask('small'), complete(url, 'toy')]);
    expect(both.map(({ body }) => body)).toMatchObject(
      [...textsOf(small), ...textsOf(small), 'here'].map((text) => ({ choices: [{ text }] })),
    );
    for (const [name] of (await states()).filter(([, state]) => state === undefined))
      expect((await post(`${url}/v1/models/${name}/unload`, {})).body).toEqual({ status: 'success', model: name });
    expect((await states()).map(([, state]) => state)).toEqual(['unloaded', 'unloaded', 'unloaded']);
    const loaded = await post(`${url}/v1/models/small/load?stream=true`, {});
    expect(eventsOf(loaded.text).slice(0, 2)).toEqual([
      { model: 'small', server: 'embedded', state: 'LOADING' },
      { model: 'small', server: 'embedded', state: 'READY' },
    ]);
    expect((await post(`${url}/v1/models/toy/load`, {})).status).toBe(200);
  });
});
