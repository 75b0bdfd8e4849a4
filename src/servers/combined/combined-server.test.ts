import { afterEach, describe, expect, it, vi } from 'vitest';
import { balancerWith } from '../../../test/support/balance-fixtures.ts';
import { firstResponse } from '../../kserve/awaited-responses.ts';
import { LocalResponse } from '../../kserve/local-response.ts';
import type { ControlCalls, ControlMethod, ModelIndexEntry } from '../../kserve/messages.ts';
import { ResponseTimeoutError } from '../../kserve/response-timeout-error.ts';
import type {
  InferenceServer,
  InferRequest,
  InferResponse,
  ResponseSink,
  RunningInference,
} from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import { CombinedServer } from './combined-server.ts';
import { UnaryInference } from './unary-inference.ts';

/** A server with nothing but an index, that tells which calls reached it. */
class FakeServer implements InferenceServer {
  readonly name: string;
  readonly reached: string[] = [];
  readonly #models: ModelIndexEntry[];
  isDown = false;
  isHung = false;
  inferFault: Error | undefined;

  constructor(name: string, models: Readonly<Record<string, string>>) {
    this.name = name;
    this.#models = Object.entries(models).map(([model, state]) => ({ name: model, version: '1', state, reason: '' }));
  }

  async call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
  ): Promise<ControlCalls[Method]['response']> {
    if (this.isHung) await new Promise(() => undefined);
    if (this.isDown) throw new StatusError('UNAVAILABLE', `${this.name} is down`, { unreachable: true });
    if (method !== 'RepositoryIndex') this.reached.push(`${method} ${JSON.stringify(request)}`);
    const responses: Partial<Record<ControlMethod, unknown>> = {
      RepositoryIndex: { models: this.#models },
      ServerReady: { ready: this.#models.every(({ state }) => state === 'READY') },
      ServerLive: { live: true },
      ServerMetadata: { name: this.name, version: '2', extensions: ['statistics', this.name] },
      ModelReady: { ready: true },
      ModelStatistics: { model_stats: this.#models.map(({ name }) => statistics(name)) },
    };
    const response: unknown = responses[method] ?? {};
    return response as ControlCalls[Method]['response'];
  }

  async infer({ model, id }: InferRequest): Promise<InferResponse> {
    if (this.inferFault) throw this.inferFault;
    return new LocalResponse({ model, version: this.name, id, outputs: [], final: true });
  }

  stream(request: InferRequest, sink: ResponseSink): RunningInference {
    return new UnaryInference(() => this.infer(request), sink, undefined);
  }

  async close(): Promise<void> {
    this.reached.push('close');
  }
}

function statistics(name: string) {
  const duration = { count: 1, ns: 10 };
  return {
    name,
    version: '1',
    last_inference: 5,
    inference_count: 2,
    execution_count: 1,
    inference_stats: { success: duration },
    batch_stats: [{ batch_size: 2, compute_infer: duration }],
    memory_usage: [],
    response_stats: { '0': { success: duration } },
  };
}

const request = (model: string, parameters = {}) => ({ model, id: '', inputs: [], parameters });

async function completedBy(server: InferenceServer, requested: InferRequest, times: number): Promise<string[]> {
  const names: string[] = [];
  for (let turn = 0; turn < times; turn++) names.push((await server.infer(requested)).version);
  return names;
}

function pair(): [FakeServer, FakeServer, CombinedServer] {
  const one = new FakeServer('one', { shared: 'READY', own: 'READY', half: 'LOADING' });
  const two = new FakeServer('two', { shared: 'READY', other: 'READY', half: 'READY' });
  return [one, two, new CombinedServer(() => [one, two], balancerWith())];
}

describe('CombinedServer', () => {
  it('is its server when there is only one', async () => {
    const one = new FakeServer('one', {});
    const combined = new CombinedServer(() => [one], balancerWith());
    expect(await combined.call('ModelReady', { name: 'anything' })).toEqual({ ready: true });
    expect((await combined.infer(request('anything'))).version).toBe('one');
  });

  it('calls no model ready whose engine has failed', async () => {
    const balancer = balancerWith();
    const [one, two] = ['one', 'two'].map((name) => new FakeServer(name, { shared: 'READY' })) as [
      FakeServer,
      FakeServer,
    ];
    const servers = [one];
    const combined = new CombinedServer(() => servers, balancer);
    const failure = { part: 'engine', message: 'dead', by: 'probe', at: 0 } as const;
    const isReady = async () => (await combined.call('ModelReady', { name: 'shared' })).ready;
    balancer.engines.fail({ server: one, model: 'shared' }, failure, true);
    expect(await isReady()).toBe(false);
    servers.push(two);
    expect(await isReady()).toBe(true);
    expect(await completedBy(combined, request('shared'), 2)).toEqual(['two', 'two']);
    balancer.engines.fail({ server: two, model: 'shared' }, failure, true);
    expect(await isReady()).toBe(false);
    balancer.engines.heal({ server: one, model: 'shared' });
    expect(await isReady()).toBe(true);
  });

  it('sends requests to a server that has the model ready, by turns', async () => {
    const [, , combined] = pair();
    expect(await completedBy(combined, request('own'), 2)).toEqual(['one', 'one']);
    expect(await completedBy(combined, request('half'), 2)).toEqual(['two', 'two']);
    expect(new Set(await completedBy(combined, request('shared'), 4))).toEqual(new Set(['one', 'two']));
    const streamed = await firstResponse((sink) => combined.stream(request('other'), sink));
    expect(streamed?.version).toBe('two');
  });

  it('keeps a sequence at one server', async () => {
    const [, , combined] = pair();
    expect(new Set(await completedBy(combined, request('shared', { sequence_id: 7 }), 6)).size).toBe(1);
  });

  it('keeps a sequence where it is when another server comes, unless it is that one', async () => {
    const servers = ['one', 'two'].map((name) => new FakeServer(name, { m: 'READY' }));
    const combined = new CombinedServer(() => servers, balancerWith());
    const owners = async () =>
      Promise.all(
        Array.from(
          { length: 30 },
          async (_, at) => (await combined.infer(request('m', { sequence_id: at + 1 }))).version,
        ),
      );
    const before = await owners();
    expect(new Set(before)).toEqual(new Set(['one', 'two']));
    servers.push(new FakeServer('three', { m: 'READY' }));
    await combined.call('RepositoryModelLoad', { model_name: 'm' });
    const after = await owners();
    expect(after.every((owner, at) => owner === before[at] || owner === 'three')).toBe(true);
  });

  it('says that no server is known', async () => {
    const combined = new CombinedServer(() => [], balancerWith());
    await expect(combined.infer(request('m'))).rejects.toMatchObject({ code: 'UNAVAILABLE', unreachable: true });
    await expect(combined.call('ServerReady', {})).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('reports an unknown model like Triton', async () => {
    const [, , combined] = pair();
    await expect(combined.infer(request('none'))).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: "Request for unknown model: 'none' is not found",
    });
    await expect(combined.call('ModelStatistics', { name: 'none' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    await expect(combined.call('RepositoryModelLoad', { model_name: 'none' })).rejects.toMatchObject({
      code: 'INTERNAL',
    });
    expect(await combined.call('ModelReady', { name: 'none' })).toEqual({ ready: false });
    expect(await combined.call('RepositoryModelUnload', { model_name: 'none' })).toEqual({});
  });

  it('shows the union of the indexes and adds the statistics up', async () => {
    const [, , combined] = pair();
    const { models } = await combined.call('RepositoryIndex', {});
    expect(models.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'half READY',
      'other READY',
      'own READY',
      'shared READY',
    ]);
    const { model_stats } = await combined.call('ModelStatistics', {});
    const shared = model_stats.find(({ name }) => name === 'shared');
    expect(shared).toMatchObject({
      inference_count: 4,
      inference_stats: { success: { count: 2, ns: 20 } },
      batch_stats: [{ batch_size: 2, compute_infer: { count: 2, ns: 20 } }],
      response_stats: { '0': { success: { count: 2, ns: 20 } } },
    });
  });

  it('is ready and alive while one is', async () => {
    const [one, two, combined] = pair();
    expect(await combined.call('ServerReady', {})).toEqual({ ready: true });
    one.isDown = true;
    expect(await combined.call('ServerReady', {})).toEqual({ ready: true });
    expect(await combined.call('ServerLive', {})).toEqual({ live: true });
    two.isDown = true;
    expect(await combined.call('ServerReady', {})).toEqual({ ready: false });
    expect(await combined.call('ServerLive', {})).toEqual({ live: false });
    await expect(combined.call('ServerMetadata', {})).rejects.toMatchObject({ message: 'one is down' });
  });

  it('begins again elsewhere what its own time has ended, not what the client gave too little time', async () => {
    const [one, , combined] = pair();
    one.inferFault = new ResponseTimeoutError('first', 5);
    expect(await completedBy(combined, request('shared'), 2)).toEqual(['two', 'two']);
    one.inferFault = new StatusError('DEADLINE_EXCEEDED', 'late');
    const outcomes = await Promise.allSettled([combined.infer(request('shared')), combined.infer(request('shared'))]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('loads where the model is known, and names what all can do', async () => {
    const [one, two, combined] = pair();
    await combined.call('RepositoryModelLoad', { model_name: 'own' });
    expect(one.reached).toEqual(['RepositoryModelLoad {"model_name":"own"}']);
    expect(two.reached).toEqual([]);
    expect(await combined.call('ServerMetadata', {})).toEqual({
      name: 'one',
      version: '2',
      extensions: ['statistics'],
    });
    await combined.close();
    expect(two.reached.at(-1)).toBe('close');
  });
});

describe('a server that never responds', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('delays callers only briefly, and only once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const [one, , combined] = pair();
    one.isHung = true;
    expect(await combined.call('ServerLive', {})).toEqual({ live: true });
    const first = combined.infer(request('shared'));
    await vi.advanceTimersByTimeAsync(1000);
    expect((await first).version).toBe('two');
    expect((await combined.infer(request('other'))).version).toBe('two');
    await vi.advanceTimersByTimeAsync(5000);
    expect((await combined.infer(request('other'))).version).toBe('two');
    expect((await combined.call('RepositoryIndex', {})).models).toHaveLength(3);
    expect(await combined.call('ModelReady', { name: 'other' })).toEqual({ ready: true });
  });
});
