import { describe, expect, it } from 'vitest';
import { balancerWith } from '../../../test/support/balance-fixtures.ts';
import { ask, pair, responding, responsesOf, start } from '../../../test/support/balanced-requests.ts';
import { ScriptedServer } from '../../../test/support/scripted-server.ts';
import { firstResponse } from '../../kserve/awaited-responses.ts';
import { wasRetried } from '../../kserve/retried-errors.ts';
import type { BeginInference } from '../../kserve/server-group.ts';
import { StatusError } from '../../kserve/status.ts';
import type { Balancer } from './balancer.ts';

const broken = new StatusError('UNAVAILABLE', 'it broke', { unreachable: true });
const dead = new StatusError('UNAVAILABLE', 'the engine is dead');
const refused = new StatusError('INVALID_ARGUMENT', 'no');

describe('a request that fails before its first response', () => {
  it('is retried on another server', async () => {
    const servers = pair([broken], responding);
    expect(await ask(balancerWith(), servers)).toBe('two');
    expect(start(servers)).toEqual([1, 1]);
  });

  it('is not retried for an error of its own', async () => {
    const servers = pair([refused], responding);
    expect(await ask(balancerWith(), servers)).toBe('no');
    expect(start(servers)).toEqual([1, 0]);
  });

  it('is retried on the only server when the connection was lost, and not for other errors', async () => {
    const server = new ScriptedServer('one', broken);
    expect(await ask(balancerWith(), [server])).toBe('it broke');
    expect(server.streams).toHaveLength(3);
    const failing = new ScriptedServer('one', dead);
    expect(await ask(balancerWith(), [failing])).toBe('the engine is dead');
    expect(failing.streams).toHaveLength(1);
  });

  it('is not retried more often than configured', async () => {
    const servers = [...pair([dead], [dead]), ...pair([dead], [dead])];
    expect(await ask(balancerWith({ retries: 1 }), servers)).toBe('the engine is dead');
    expect(start(servers).reduce((sum, count) => sum + count)).toBe(2);
    expect(await ask(balancerWith({ retryBudget: 0 }), pair([dead], responding))).toBe('the engine is dead');
  });

  it('has an error that says whether it was retried', async () => {
    const failed = (text: string) => new StatusError('UNAVAILABLE', text);
    const errorFrom = async (...errors: StatusError[]) => {
      const servers = errors.map((error, at) => new ScriptedServer(String(at), error));
      const [last] = errors.slice(-1);
      await ask(balancerWith(), servers);
      return wasRetried(last);
    };
    expect(await errorFrom(failed('one'), failed('two'))).toBe(true);
    expect(await errorFrom(failed('one'))).toBe(false);
  });

  it('is not retried when it must not be, or its client disconnected', async () => {
    expect(await ask(balancerWith(), pair([dead], responding), { isOnlyOnce: true })).toBe('the engine is dead');
    expect(await ask(balancerWith(), pair([dead], responding), { signal: AbortSignal.abort() })).toBe(
      'the engine is dead',
    );
  });

  it('says what a full queue said, not what the servers that are down say', async () => {
    const full = new StatusError('RESOURCE_EXHAUSTED', 'full');
    const balancer = balancerWith();
    const servers = pair([full], [broken]);
    balancer.reportHealth(servers[1].server, broken);
    expect(await ask(balancer, servers)).toBe('full');
    expect(start(servers)).toEqual([1, 0]);
  });

  it('has what is left of its time', async () => {
    const servers = pair([dead], responding);
    const left: (number | undefined)[] = [];
    const group = balancerWith().groupOf(
      'm',
      servers.map(({ server }) => server),
    );
    const begin: BeginInference = (server, { timeout }, sink) => {
      left.push(timeout);
      return server.stream({} as never, sink);
    };
    await firstResponse((sink) => group.stream(begin, sink, { timeout: 60_000 }));
    expect(left[0]).toBe(60_000);
    expect(left[1]).toBeLessThan(60_000);
    expect(left[1]).toBeGreaterThan(0);
  });
});

describe('a request that fails after its first response', () => {
  it('fails', async () => {
    const servers = pair(['answer', broken], responding);
    expect(await ask(balancerWith(), servers)).toBe('one,it broke');
    expect(start(servers)).toEqual([1, 0]);
  });
});

describe('an interrupted response', () => {
  const group = (balancer: Balancer) => balancer.groupOf('m', [new ScriptedServer('one').server]);
  const { signal } = new AbortController();

  it('is retried within the budget, after a pause', async () => {
    const balancer = balancerWith();
    expect(await group(balancer).again(signal)).toBe(true);
    expect(balancer.snapshot().retries).toBe(1);
    expect(await group(balancerWith({ retryBudget: 0 })).again(signal)).toBe(false);
    expect(await group(balancer).again(AbortSignal.abort())).toBe(false);
    expect(balancer.snapshot().retries).toBe(1);
  });

  it('goes to a server where it was not, and back only if there is no other', async () => {
    const balancer = balancerWith();
    const servers = pair(responding, responding);
    const [one, two] = servers;
    const avoid = new Set([one.server]);
    for (let time = 0; time < 3; time++) expect(await ask(balancer, servers, { avoid })).toBe('two');
    balancer.reportHealth(two.server, broken);
    expect(await ask(balancer, servers, { avoid })).toBe('one');
  });
});

describe('a server that fails', () => {
  const state = (balancer: Balancer) =>
    balancer
      .snapshot()
      .servers.map(({ server, connection, models }) => [server.name, connection, models.get('m') ?? 'closed']);

  it('gets no more requests once it is unreachable, until it is seen again', async () => {
    const balancer = balancerWith();
    const servers = pair([broken], responding);
    for (let time = 0; time < 4; time++) expect(await ask(balancer, servers)).toBe('two');
    expect(start(servers)).toEqual([1, 4]);
    expect(state(balancer)).toEqual([
      ['one', 'open', 'closed'],
      ['two', 'closed', 'closed'],
    ]);
    const [one] = servers;
    one.steps = responding;
    balancer.reportHealth(one.server, undefined);
    expect(new Set([await ask(balancer, servers), await ask(balancer, servers)])).toEqual(new Set(['one', 'two']));
  });

  it('gets no more requests for a model that fails again and again', async () => {
    const balancer = balancerWith({ breakerFailures: 2 });
    const servers = pair([dead], responding);
    for (let time = 0; time < 8; time++) expect(await ask(balancer, servers)).toBe('two');
    expect(start(servers)).toEqual([2, 8]);
    expect(state(balancer)).toEqual([
      ['one', 'closed', 'open'],
      ['two', 'closed', 'closed'],
    ]);
  });

  it('is not blamed for unary responses that take all of their time', async () => {
    const balancer = balancerWith({ breakerFailures: 1 });
    const late = new StatusError('DEADLINE_EXCEEDED', 'late');
    const server = new ScriptedServer('one', late);
    expect(await ask(balancer, [server], { hasSingleResponse: true })).toBe('late');
    expect(state(balancer)).toEqual([['one', 'closed', 'closed']]);
    expect(balancer.snapshot().servers[0]).toMatchObject({ running: 0, failures: 0, failureRate: 0 });
    expect(await ask(balancer, [server])).toBe('late');
    expect(state(balancer)).toEqual([['one', 'closed', 'open']]);
  });

  it('is not blamed for a retry that had only the time that was left', async () => {
    const balancer = balancerWith({ breakerFailures: 1 });
    expect(await ask(balancer, pair([dead], [new StatusError('DEADLINE_EXCEEDED', 'late')]))).toBe('late');
    expect(state(balancer).map(([, , breaker]) => breaker)).toEqual(['open', 'closed']);
  });

  it('is tried nevertheless when no other is better', async () => {
    const balancer = balancerWith({ breakerFailures: 1 });
    const servers = pair([dead], [dead]);
    expect(await ask(balancer, servers)).toBe('the engine is dead');
    for (const server of servers) server.steps = responding;
    expect(await ask(balancer, servers)).toBe('one');
    expect(state(balancer)[0]).toEqual(['one', 'closed', 'closed']);
  });

  it('gets one trial request once that is due, and all requests after its response', async () => {
    const balancer = balancerWith({ breakerFailures: 1, breakerBackoff: 0 });
    const servers = pair([dead], responding);
    expect(await ask(balancer, servers)).toBe('two');
    const [one, two] = servers;
    two.steps = ['answer', 'wait'];
    await responsesOf(balancer, [two]).next();
    [one.steps, two.steps] = [['wait', 'end'], responding];
    const trial = responsesOf(balancer, servers);
    const reading = trial.next();
    expect(one.streams).toHaveLength(2);
    for (let time = 0; time < 3; time++) expect(await ask(balancer, servers)).toBe('two');
    one.streams[1]?.go('answer');
    await reading;
    await trial.return();
    one.steps = responding;
    for (let time = 0; time < 4; time++) expect(await ask(balancer, servers)).toBe('one');
  });
});

describe('a server that a look finds silent', () => {
  const silent = new StatusError('DEADLINE_EXCEEDED', 'No response within 10000 ms.');

  it('loses the requests that wait for its first response to another', async () => {
    const balancer = balancerWith();
    const servers = pair(['wait'], responding);
    const response = ask(balancer, servers);
    balancer.reportHealth(servers[0].server, silent);
    expect(await response).toBe('two');
    expect(servers[0].streams[0]?.isLeft).toBe(true);
  });

  it('keeps inferences that have started, may run only once, or fit no other server', async () => {
    const balancer = balancerWith();
    const servers = pair(['answer', 'wait'], responding);
    await responsesOf(balancer, servers).next();
    const [one] = servers;
    one.steps = ['wait'];
    const waiting = [responsesOf(balancer, [one], { isOnlyOnce: true }), responsesOf(balancer, [one])];
    for (const stream of waiting) void stream.next();
    balancer.reportHealth(one.server, silent);
    expect(one.streams.map(({ isLeft }) => isLeft)).toEqual([false, false, false]);
  });

  it('keeps them if it responded, even with an error', async () => {
    const balancer = balancerWith();
    const servers = pair(['wait'], responding);
    void responsesOf(balancer, servers).next();
    balancer.reportHealth(servers[0].server, new StatusError('INTERNAL', 'no index'));
    expect(servers[0].streams[0]?.isLeft).toBe(false);
  });
});
