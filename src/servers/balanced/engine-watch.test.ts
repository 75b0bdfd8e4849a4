import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { balancerWith } from '../../../test/support/balance-fixtures.ts';
import { ScriptedServer, type Step } from '../../../test/support/scripted-server.ts';
import { untilEnd } from '../../kserve/awaited-responses.ts';
import { isSuspect } from '../../kserve/engine-failure.ts';
import type { EngineFailure } from '../../kserve/engines.ts';
import { StreamError } from '../../kserve/infer-codec.ts';
import type { GroupOptions } from '../../kserve/server-group.ts';
import { StatusError } from '../../kserve/status.ts';
import type { Balancer } from './balancer.ts';

const deadText = 'EngineCore encountered an issue. See stack trace (above) for the root cause.';
const dead = () => new StatusError('UNKNOWN', deadText);
const found = (by: EngineFailure['by']): EngineFailure => ({ part: 'engine', message: deadText, by, at: 1 });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Two servers, of which the first takes the first request. */
function pair(one: readonly Step[], two: readonly Step[] = ['answer', 'end']) {
  const balancer = balancerWith({ balance: 'round-robin' });
  const servers = [new ScriptedServer('one', ...one), new ScriptedServer('two', ...two)] as const;
  return { balancer, servers, location: { server: servers[0].server, model: 'm' } };
}

/** What a request gave, and whether its error says that it must not be sent again. */
async function ask(balancer: Balancer, servers: readonly ScriptedServer[], options: GroupOptions = {}) {
  const group = balancer.groupOf(
    'm',
    servers.map(({ server }) => server),
  );
  const names: string[] = [];
  try {
    await untilEnd(
      (sink) => group.stream((server, _, into) => server.stream({} as never, into), sink, options),
      ({ version }) => names.push(version),
    );
    return { names };
  } catch (error) {
    return { names, error: (error as Error).message, isSuspect: isSuspect(error) };
  }
}

const start = (servers: readonly ScriptedServer[]) => servers.map(({ streams }) => streams.length);

describe('a request on an engine that fails', () => {
  it('is sent to no other engine, and the engine gets nothing more', async () => {
    const { balancer, servers, location } = pair([dead()]);
    expect(await ask(balancer, servers)).toEqual({ names: [], error: deadText, isSuspect: true });
    expect(balancer.engines.failureOf(location)).toMatchObject({ part: 'engine', by: 'request' });
    for (let time = 0; time < 3; time++) expect(await ask(balancer, servers)).toEqual({ names: ['two'] });
    expect(start(servers)).toEqual([1, 3]);
    expect(await ask(balancer, [servers[0]])).toEqual({ names: [], error: deadText, isSuspect: false });
    expect(start(servers)).toEqual([1, 3]);
  });

  it('ends all others there at once; those without a guide and a response go on elsewhere', async () => {
    const { balancer, servers } = pair(['wait']);
    const [one] = servers;
    const plain = ask(balancer, servers);
    await vi.advanceTimersByTimeAsync(0);
    const guided = ask(balancer, [one], { isGuided: true });
    await vi.advanceTimersByTimeAsync(0);
    one.steps = ['answer', 'wait'];
    const reading = ask(balancer, [one]);
    await vi.advanceTimersByTimeAsync(0);
    one.steps = [dead()];
    const killer = ask(balancer, [one], { requestId: 'killer' });
    await vi.advanceTimersByTimeAsync(100);
    expect(await Promise.all([killer, plain, guided, reading])).toEqual([
      { names: [], error: deadText, isSuspect: true },
      { names: ['two'] },
      { names: [], error: deadText, isSuspect: true },
      { names: ['one'], error: deadText, isSuspect: false },
    ]);
    expect(start(servers)).toEqual([4, 1]);
    expect(balancer.snapshot().servers[0]).toMatchObject({
      failureRate: 0,
      running: 0,
      failedEngines: new Map([['m', { requestId: 'killer' }]]),
      engineFailures: new Map([['m', 1]]),
    });
  });

  it('is not sent on where a probe found the failure, for it may be the reason', async () => {
    const { balancer, servers, location } = pair(['wait']);
    const waiting = ask(balancer, servers);
    await vi.advanceTimersByTimeAsync(0);
    balancer.engines.fail(location, found('probe'), true);
    await vi.advanceTimersByTimeAsync(100);
    expect(await waiting).toEqual({ names: [], error: deadText, isSuspect: true });
    expect(start(servers)).toEqual([1, 0]);
  });

  it('runs on no third engine', async () => {
    const { balancer } = pair([]);
    const servers = ['one', 'two', 'three'].map((name) => new ScriptedServer(name, 'wait'));
    const spared = ask(balancer, servers);
    await vi.advanceTimersByTimeAsync(0);
    for (let time = 0; time < 2; time++) {
      const running = servers.find(({ streams }) => streams.some(({ isLeft }) => !isLeft)) as ScriptedServer;
      balancer.engines.fail({ server: running.server, model: 'm' }, found('request'), false);
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(await spared).toEqual({ names: [], error: deadText, isSuspect: false });
    expect(start(servers).filter((count) => count === 1)).toHaveLength(2);
  });
});

describe('a guided request that a model fails with words of its own', () => {
  it('is not repeated, as the words may be those of an engine that ended', async () => {
    const error = new StreamError('Error generating stream: list index out of range', {
      id: 'r',
      final: true,
    } as ConstructorParameters<typeof StreamError>[1]);
    const guided = pair([error]);
    expect(await ask(guided.balancer, guided.servers, { isGuided: true })).toMatchObject({
      names: [],
      isSuspect: false,
    });
    const plain = pair([error]);
    const completed = ask(plain.balancer, plain.servers);
    await vi.advanceTimersByTimeAsync(100);
    expect([await completed, start(guided.servers), start(plain.servers)]).toEqual([
      { names: ['two'] },
      [1, 0],
      [1, 1],
    ]);
  });
});

describe('a failed engine whose backend unloads the model', () => {
  it('is reported once more, and counted once', async () => {
    const { balancer, servers, location } = pair([dead()]);
    const received: unknown[] = [];
    balancer.engines.listen({ onFailed: (_, { message }, isOwn) => received.push([message, isOwn]) });
    const unhealthy = 'Model is unavailable due to unhealthy vLLM engine';
    await ask(balancer, servers);
    for (const message of [unhealthy, unhealthy, deadText])
      balancer.engines.fail(location, { ...found('probe'), message }, false);
    expect(received).toEqual([
      [deadText, true],
      [unhealthy, false],
    ]);
    expect(balancer.engines.failureOf(location)).toMatchObject({ message: unhealthy, by: 'request' });
    expect(balancer.snapshot().servers[0]?.engineFailures).toEqual(new Map([['m', 1]]));
  });
});

describe('inferences that go together', () => {
  it('run on one engine, and fail with it', async () => {
    const { balancer, servers } = pair(['wait']);
    const shared = {};
    const first = ask(balancer, servers, { shared, isGuided: true });
    await vi.advanceTimersByTimeAsync(0);
    servers[0].steps = [dead()];
    const failed = { names: [], error: deadText, isSuspect: true };
    expect(await ask(balancer, servers, { shared, isGuided: true })).toEqual(failed);
    expect(await ask(balancer, servers, { shared, isGuided: true })).toEqual(failed);
    await vi.advanceTimersByTimeAsync(100);
    expect([await first, start(servers)]).toEqual([failed, [2, 0]]);
  });
});

describe('a healed engine', () => {
  it('takes requests again, and is reported once', async () => {
    const { balancer, servers, location } = pair([dead()]);
    const received: unknown[] = [];
    balancer.engines.listen({
      onFailed: ({ model }, { by }, isOwn) => received.push(['failed', model, by, isOwn]),
      onHealed: ({ model }) => received.push(['healed', model]),
    });
    await ask(balancer, [servers[0]]);
    balancer.engines.fail(location, found('probe'), true);
    servers[0].steps = ['answer', 'end'];
    balancer.engines.heal(location);
    balancer.engines.heal(location);
    expect(await ask(balancer, [servers[0]])).toEqual({ names: ['one'] });
    expect(received).toEqual([
      ['failed', 'm', 'request', true],
      ['healed', 'm'],
    ]);
    expect(balancer.engines.failed()).toEqual([]);
  });
});

describe('a silent engine', () => {
  it('is probed ever more seldom while somebody waits for it', async () => {
    const { balancer, servers } = pair(['wait']);
    let probes = 0;
    balancer.engines.listen({ onSilent: () => probes++ });
    const waiting = ask(balancer, [servers[0]]);
    const seen: number[] = [];
    for (const pause of [900, 300, 1000, 2000, 60_000]) {
      await vi.advanceTimersByTimeAsync(pause);
      seen.push(probes);
    }
    expect(seen).toEqual([0, 1, 2, 3, 7]);
    servers[0].streams[0]?.go('answer');
    await waiting;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(probes).toBe(7);
  });
});
