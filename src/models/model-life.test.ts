import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ApiError } from '../errors.ts';
import type { ControlCalls, ControlMethod, ModelConfig } from '../kserve/messages.ts';
import type { InferenceServer } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import { LocalGates } from '../limits/local-gates.ts';
import { type Link, LoneLink } from '../link.ts';
import { unwatched } from '../request-watch.ts';
import { namedBySettings, noAdapters } from './adapters.ts';
import { Admission, type AdmissionLimits } from './admission.ts';
import type { ModelHints } from './fit.ts';
import { LoadOnDemand } from './load-on-demand.ts';
import { ModelControl } from './model-control.ts';
import { ModelDoor } from './model-door.ts';
import { ModelRegistry } from './registry.ts';
import { RunningRequests } from './running-requests.ts';
import type { ServedModel } from './served-model.ts';
import { SharedRequests } from './shared-requests.ts';

const text = (name: string) => ({ name, data_type: 'TYPE_STRING', dims: [1] });
const speaks = { input: [text('text_input'), text('sampling_parameters')], output: [text('text_output')] };
const nothing = { input: [], output: [] };
const vectors = { input: [text('text')], output: [{ name: 'embedding', data_type: 'TYPE_FP32', dims: [8] }] };

/** A server in explicit mode that writes down what it is asked to do. */
class ExplicitServer implements InferenceServer {
  readonly name = 'server';
  readonly orders: string[] = [];
  readonly ready = new Set<string>();
  /** Models whose configuration cannot be read. */
  readonly silent = new Set<string>();
  readonly #configs: Readonly<Record<string, Partial<ModelConfig>>>;

  constructor(configs: Readonly<Record<string, Partial<ModelConfig>>>) {
    this.#configs = configs;
  }

  async call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
  ): Promise<ControlCalls[Method]['response']> {
    const { name = '', model_name: model = '' } = request as { name?: string; model_name?: string };
    if (method === 'RepositoryModelLoad') this.#load(model);
    if (method === 'RepositoryModelUnload' && model !== '/') {
      this.orders.push(`unload ${model}`);
      this.ready.delete(model);
    }
    if (method === 'ModelConfig' && this.silent.has(name)) throw new StatusError('UNAVAILABLE', 'busy');
    const base = { name, platform: '', backend: 'vllm', max_batch_size: 0, parameters: {}, ...speaks };
    const answers: Partial<Record<ControlMethod, unknown>> = {
      RepositoryIndex: {
        models: Object.keys(this.#configs).map((row) => ({
          name: row,
          version: '1',
          state: this.ready.has(row) ? 'READY' : 'UNAVAILABLE',
          reason: '',
        })),
      },
      ModelConfig: { config: { ...base, ...this.#configs[name] } },
    };
    return answers[method] as ControlCalls[Method]['response'];
  }

  #load(model: string): void {
    this.orders.push(`load ${model}`);
    if (model === 'bad') throw new StatusError('INTERNAL', "load failed for model 'bad': no memory");
    this.ready.add(model);
  }

  infer(): never {
    throw new Error('not asked for here');
  }

  stream(): never {
    throw new Error('not asked for here');
  }

  async close(): Promise<void> {
    this.ready.clear();
  }
}

async function life(
  configs: Readonly<Record<string, Partial<ModelConfig>>>,
  maxLoaded?: number,
  limitsOf: (root: string) => AdmissionLimits | undefined = () => undefined,
  link: Link = new LoneLink(),
) {
  const server = new ExplicitServer(configs);
  const hints = new Map<string, ModelHints>();
  const registry = new ModelRegistry({
    servers: [server],
    groupOf: (_model, servers) => ({
      servers,
      stream: (begin, sink) => begin(server, { timeout: undefined }, sink),
      again: async () => false,
    }),
    refreshInterval: 1_000_000,
    hints: (model) => hints.get(model) ?? {},
    loraSeparator: '_lora_',
    aliases: new Map([['alias', 'a']]),
    loadsOnDemand: true,
    describe: (found) => {
      const adapters = found.name.endsWith('plain') ? noAdapters : namedBySettings(['x']);
      return { ...found, tokenizerName: '-', adapters } as unknown as ServedModel;
    },
  });
  await registry.refresh();
  const running = new RunningRequests();
  const requests = new SharedRequests({ link, registry, running });
  const clean = (told: string): string => told;
  const control = new ModelControl({ registry, requests, loadTimeout: 1000, unloadTimeout: 0, clean });
  const onDemand = new LoadOnDemand({ registry, running, control, maxLoaded, timeout: 10_000 });
  const admission = new Admission({ gates: new LocalGates(), limitsOf, timeout: () => undefined });
  const door = new ModelDoor({ registry, running, admission, onDemand, loadTimeout: 10_000 });
  const faults: ApiError[] = [];
  const enter = (name: string, signal = new AbortController().signal) =>
    door.enter(name, { cancel: (fault) => faults.push(fault), signal, priority: 0, watch: unwatched });
  return { server, hints, registry, running, control, onDemand, enter, faults };
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    ({ code, message }: ApiError) => ({ code, message }),
  );

afterEach(() => {
  vi.useRealTimers();
});

describe('a model that is loaded on demand', () => {
  it('is loaded once for all that wait, by its name, an alias or an adapter', async () => {
    const { server, enter } = await life({ a: {} });
    const leaves = await Promise.all([enter('a'), enter('alias'), enter('a_lora_x'), enter('nobody')]);
    expect(leaves.map((leave) => typeof leave)).toEqual(['function', 'function', 'function', 'undefined']);
    expect(server.orders).toEqual(['load a']);
  });

  it('takes the place of the one that was used the longest time ago', async () => {
    const { server, enter } = await life({ a: {}, b: {}, c: {} }, 2);
    for (const name of ['a', 'b', 'a', 'c', 'b']) (await enter(name))?.();
    expect(server.orders).toEqual(['load a', 'load b', 'unload b', 'load c', 'unload a', 'load b']);
  });

  it('waits for a place while all are in use, then takes that of one whose new requests wait in their turn', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { server, enter } = await life({ a: {}, b: {} }, 1);
    const leaveA = await enter('a');
    const forB = enter('b');
    // Past the patience, a takes no new requests.
    await vi.advanceTimersByTimeAsync(2_600);
    const againA = enter('a');
    expect(server.orders).toEqual(['load a']);
    leaveA?.();
    (await forB)?.();
    (await againA)?.();
    expect(server.orders).toEqual(['load a', 'unload a', 'load b', 'unload b', 'load a']);
  });

  it('unloads nothing for a client that has left', async () => {
    const { server, enter } = await life({ a: {}, b: {} }, 1);
    const leaveA = await enter('a');
    const client = new AbortController();
    const forB = failureOf(enter('b', client.signal));
    client.abort();
    expect(await forB).toEqual({ code: 'client_closed_request', message: 'The client closed the request.' });
    leaveA?.();
    (await enter('a'))?.();
    expect(server.orders).toEqual(['load a']);
  });

  it('is not tried again at once when it failed', async () => {
    const { server, enter } = await life({ bad: {} });
    const failure = {
      code: 'model_not_ready',
      message: "The model bad could not be loaded: server: load failed for model 'bad': no memory.",
    };
    expect([await failureOf(enter('bad')), await failureOf(enter('bad'))]).toEqual([failure, failure]);
    expect(server.orders).toEqual(['load bad']);
  });

  it('is not kept, and not listed any more, when it cannot answer requests', async () => {
    const { server, onDemand, enter } = await life({ numbers: nothing });
    expect(onDemand.loadable()).toEqual(['numbers']);
    expect(await enter('numbers')).toBeUndefined();
    expect(server.orders).toEqual(['load numbers', 'unload numbers']);
    expect(onDemand.loadable()).toEqual([]);
  });

  it('is loaded again where it only makes vectors, after it was asked for while it was unloaded', async () => {
    const { server, control, enter } = await life({ vectors });
    const leave = await enter('vectors');
    let again: ReturnType<typeof enter> | undefined;
    await control.unload('vectors', ({ state }) => {
      if (state !== 'DRAINING') return;
      again = enter('vectors');
      leave?.();
    });
    expect(typeof (await again)).toBe('function');
    expect(server.orders).toEqual(['load vectors', 'unload vectors', 'load vectors']);
  });

  it('is kept, and asked again, when its configuration could not be read', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { server, onDemand, enter } = await life({ a: {} });
    server.silent.add('a');
    const failure = {
      code: 'model_not_ready',
      message: 'The model a is loaded, but its server could not be asked how it is spoken to.',
    };
    expect([await failureOf(enter('a')), await failureOf(enter('a'))]).toEqual([failure, failure]);
    expect(server.orders).toEqual(['load a']);
    expect(onDemand.canLoad('a')).toBe(true);
    server.silent.clear();
    vi.advanceTimersByTime(5_001);
    expect(typeof (await enter('a'))).toBe('function');
    expect(server.orders).toEqual(['load a']);
  });

  it('is tried again when the settings have changed since it could not answer requests', async () => {
    const { server, hints, registry, onDemand, enter } = await life({ numbers: vectors });
    hints.set('numbers', { rows: { rerank: {} } });
    expect(await enter('numbers')).toBeUndefined();
    expect(onDemand.loadable()).toEqual([]);
    hints.clear();
    await registry.reconsider();
    expect(onDemand.loadable()).toEqual(['numbers']);
    expect(typeof (await enter('numbers'))).toBe('function');
    expect(server.orders).toEqual(['load numbers', 'unload numbers', 'load numbers']);
  });

  it('is tried again when it was loaded by order and can answer requests now', async () => {
    const configs: Record<string, Partial<ModelConfig>> = { a: nothing };
    const { server, control, onDemand, enter } = await life(configs);
    expect(await enter('a')).toBeUndefined();
    configs['a'] = {};
    await control.load('a');
    await control.unload('a');
    expect(onDemand.loadable()).toEqual(['a', 'alias']);
    expect(typeof (await enter('a'))).toBe('function');
    expect(server.orders).toEqual(['load a', 'unload a', 'load a', 'unload a', 'load a']);
  });

  it('is not loaded for its own name when it was seen as a part of another one', async () => {
    const steps = { ensemble_scheduling: { step: [{ model_name: 'inner' }] } };
    const { server, control, registry, onDemand } = await life({ inner: nothing, outer: steps });
    server.ready.add('inner').add('outer');
    await registry.refresh();
    await control.unload('inner');
    expect(onDemand.loadable()).toEqual([]);
  });

  it('is listed with its aliases until it is loaded', async () => {
    const { onDemand, enter } = await life({ a: {}, b: {} });
    expect(onDemand.loadable()).toEqual(['a', 'b', 'alias']);
    await enter('alias');
    expect(onDemand.loadable()).toEqual(['b']);
  });

  it('is found behind an alias and a name with the separator in it, and its requests are counted', async () => {
    const { server, running, enter } = await life({ a: {}, my_lora_b: {}, plain: {}, plain_lora_c: {} });
    for (const name of ['alias_lora_x', 'my_lora_b_lora_x', 'plain_lora_c_lora_x', 'my_lora_b_lora_x'])
      expect(typeof (await enter(name))).toBe('function');
    expect(server.orders).toEqual(['load a', 'load my_lora_b', 'load plain', 'load plain_lora_c']);
    expect(['a', 'my_lora_b', 'plain', 'plain_lora_c'].map((root) => running.count([root]))).toEqual([1, 2, 0, 1]);
  });

  it('is loaded once for a name with an adapter when none of the models that it may stand for has any', async () => {
    const { server, enter } = await life({ plain: {}, plain_lora_plain: {} }, 1);
    expect(await enter('plain_lora_plain_lora_x')).toBeUndefined();
    expect(server.orders).toEqual(['load plain', 'unload plain', 'load plain_lora_plain']);
  });
});

describe('a model that is unloaded', () => {
  it('cancels its requests, and those of an ensemble that it is a part of, when their time is over', async () => {
    const steps = { ensemble_scheduling: { step: [{ model_name: 'inner' }] } };
    const { server, registry, control, enter, faults } = await life({ inner: {}, outer: steps, other: {} });
    const leaves = [await enter('outer'), await enter('inner'), await enter('other')];
    const unloading = control.unload('inner', ({ state }) => {
      if (state !== 'DRAINING') return;
      expect(registry.list().map(({ name }) => name)).toEqual(['other']);
    });
    await expect.poll(() => faults.length).toBe(2);
    for (const leave of leaves) leave?.();
    await unloading;
    const message =
      'The model inner is being unloaded, and this answer was not complete within 0 s (--unload-timeout).';
    expect(faults.map((fault) => [fault.code, fault.message])).toEqual([
      ['model_not_ready', message],
      ['model_not_ready', message],
    ]);
    expect(server.orders).toEqual(['load outer', 'load inner', 'load other', 'unload inner']);
  });
});

describe('a model with limits', () => {
  const limited = () => life({ a: {}, b: {} }, 1, (root) => (root === 'a' ? { running: 1, waiting: 1 } : undefined));

  it('lets one in under any of its names, has one wait and refuses the next', async () => {
    const { enter } = await limited();
    const first = await enter('a');
    const second = enter('alias');
    expect(await failureOf(enter('a_lora_x'))).toEqual({
      code: 'rate_limit_exceeded',
      message: 'The queue of the model a is full: 1 requests may run and 1 wait. Try again in 1 s.',
    });
    first?.();
    const leave = await second;
    const third = enter('a');
    leave?.();
    expect(typeof (await third)).toBe('function');
  });

  it('gives the place of a request that leaves while it waits to another', async () => {
    const { enter } = await limited();
    await enter('a');
    const stop = new AbortController();
    const left = failureOf(enter('a', stop.signal));
    stop.abort();
    expect(await left).toEqual({ code: 'client_closed_request', message: 'The client closed the request.' });
    const waiting = failureOf(enter('a'));
    expect(await Promise.race([waiting, failureOf(enter('a'))])).toMatchObject({ code: 'rate_limit_exceeded' });
  });

  it('frees the place of a request whose model could not be loaded', async () => {
    const { enter } = await life({ bad: {} }, 1, () => ({ running: 1, waiting: 0 }));
    for (let count = 0; count < 2; count++)
      expect(await failureOf(enter('bad'))).toMatchObject({ code: 'model_not_ready' });
  });
});

describe('a model that several processes serve', () => {
  /** The links of two processes that ask each other. */
  function paired(missing = (_question: string) => 0): readonly [Link, Link] {
    const own = [new LoneLink(), new LoneLink()] as const;
    const askAll: Link['askAll'] = async (question, argument) => {
      const all = await Promise.all(own.map((link) => link.askAll(question, argument)));
      return { answers: all.flatMap(({ answers }) => answers), missing: missing(question) };
    };
    const linkOf = (link: LoneLink): Link => ({
      register: (question, answer) => link.register(question, answer),
      askAll,
    });
    return [linkOf(own[0]), linkOf(own[1])];
  }

  it('takes no more requests in any of them while it is unloaded, and cancels those of all', async () => {
    const links = paired();
    const [one, other] = await Promise.all(links.map((link) => life({ a: {} }, undefined, undefined, link)));
    if (!one || !other) throw new Error('There are two.');
    await one.control.load('a');
    other.server.ready.add('a');
    await other.registry.refresh();
    const leave = await other.enter('a');
    const states: unknown[] = [];
    const unloading = one.control.unload('a', ({ state, running }) => states.push([state, running]));
    await expect.poll(() => other.faults.map(({ code }) => code)).toEqual(['model_not_ready']);
    expect([one, other].map(({ registry }) => registry.isOffered('a'))).toEqual([false, false]);
    leave?.();
    await unloading;
    expect(states[0]).toEqual(['DRAINING', 1]);
    expect([one, other].map(({ registry }) => registry.isOffered('a'))).toEqual([false, true]);
  });

  it('is not taken for idle while one of them is too busy to say', async () => {
    let silent = 2;
    const asked: string[] = [];
    const [link] = paired((question) => {
      asked.push(question);
      return question === 'requests.count' && silent-- > 0 ? 1 : 0;
    });
    const registry = { refresh: async () => undefined, withdraw: () => () => undefined };
    const requests = new SharedRequests({ link, registry, running: new RunningRequests() });
    expect(await requests.idle(['a'], 60_000)).toBe(true);
    expect(asked).toEqual(['requests.count', 'requests.count', 'requests.count']);
  });
});
