import { describe, expect, it } from 'vitest';
import { balancerWith } from '../../../test/support/balance-fixtures.ts';
import { ask, pair, responding, responsesOf, start } from '../../../test/support/balanced-requests.ts';
import { ScriptedServer } from '../../../test/support/scripted-server.ts';
import { StatusError } from '../../kserve/status.ts';

const broken = new StatusError('UNAVAILABLE', 'it broke', { unreachable: true });
const dead = new StatusError('UNAVAILABLE', 'the engine is dead');

describe('load', () => {
  it('is what runs: it grows with the first read, and ends with the stream, however that ends', async () => {
    const balancer = balancerWith();
    const running = () => balancer.snapshot().servers.map((each) => each.running);
    const one = new ScriptedServer('one', 'answer', 'wait');
    const servers = [one];
    const left = responsesOf(balancer, servers);
    expect(running()).toEqual([]);
    await left.next();
    expect(running()).toEqual([1]);
    await left.return();
    expect(running()).toEqual([0]);
    one.steps = ['answer', broken];
    await ask(balancer, servers);
    expect(running()).toEqual([0]);
  });

  it('is waited for before a server that is gone is closed', async () => {
    const balancer = balancerWith();
    const one = new ScriptedServer('one', 'answer', 'wait');
    const stream = responsesOf(balancer, [one]);
    await stream.next();
    const order: string[] = [];
    const idle = balancer.untilIdle(one.server).then(() => order.push('idle'));
    await Promise.resolve();
    order.push('left');
    await stream.return();
    await idle;
    expect(order).toEqual(['left', 'idle']);
    expect(balancer.snapshot().servers).toEqual([]);
  });

  it('goes elsewhere from a server that is gone, for those who still know it too', async () => {
    const balancer = balancerWith();
    const servers = pair(responding, responding);
    await balancer.untilIdle(servers[0].server);
    for (let time = 0; time < 3; time++) expect(await ask(balancer, servers)).toBe('two');
  });

  it('goes nowhere when all servers are gone, and brings none of them back', async () => {
    const balancer = balancerWith();
    const servers = pair([dead], [dead]);
    await balancer.untilIdle(servers[0].server);
    expect(await ask(balancer, servers)).toBe('the engine is dead');
    balancer.reportHealth(servers[0].server, undefined);
    expect(balancer.snapshot().servers.map(({ server }) => server.name)).toEqual(['two']);
    await balancer.untilIdle(servers[1].server);
    await expect(responsesOf(balancer, servers).next()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      unreachable: true,
    });
    expect([start(servers), balancer.snapshot().servers]).toEqual([[0, 1], []]);
  });

  it('has no part in retries that are not made', async () => {
    const balancer = balancerWith({ retryBudget: 0 });
    await ask(balancer, pair([dead], responding));
    expect(balancer.snapshot().servers.map(({ requests }) => requests)).toEqual([1, 0]);
  });

  it('is spread', async () => {
    const balancer = balancerWith();
    const servers = pair(['answer', 'wait'], ['answer', 'wait']);
    await Promise.all(Array.from({ length: 10 }, () => responsesOf(balancer, servers).next()));
    expect(start(servers)).toEqual([5, 5]);
  });
});

describe('the policy prefix', () => {
  const prompt = 'You answer questions about shells. '.repeat(10);

  it('sends what begins alike to the same server, until that is overloaded', async () => {
    const balancer = balancerWith({ balance: 'prefix' });
    const servers = pair(['answer', 'wait'], ['answer', 'wait']);
    for (let time = 0; time < 5; time++) await responsesOf(balancer, servers, { prefix: `${prompt}${time}` }).next();
    expect(start(servers)).toEqual([5, 0]);
    for (let time = 0; time < 5; time++) await responsesOf(balancer, servers, { prefix: `${prompt}${time}` }).next();
    expect(start(servers)).toEqual([6, 4]);
  });

  it.each([
    [0, 'two'],
    [1, 'one'],
  ] as const)('remembers what went to the only server that was open, while server %i was away', async (away, name) => {
    const balancer = balancerWith({ balance: 'prefix' });
    const servers = pair(responding, responding);
    const { server } = servers[away];
    balancer.reportHealth(server, broken);
    expect(await ask(balancer, servers, { prefix: prompt })).toBe(name);
    balancer.reportHealth(server, undefined);
    for (let time = 0; time < 3; time++) expect(await ask(balancer, servers, { prefix: prompt })).toBe(name);
  });

  it('has balancers that do not know each other agree on who gets what is new', async () => {
    const prompts = Array.from({ length: 20 }, (_, time) => `${time} `.repeat(200));
    const choices = async (requested: readonly string[]) => {
      const balancer = balancerWith({ balance: 'prefix' });
      const servers = pair(responding, responding);
      await ask(balancer, servers);
      const names: string[] = [];
      for (const prefix of requested) names.push(await ask(balancer, servers, { prefix }));
      return names;
    };
    const names = await choices(prompts);
    expect(new Set(names)).toEqual(new Set(['one', 'two']));
    expect((await choices(prompts.toReversed())).toReversed()).toEqual(names);
  });

  it('spreads what begins otherwise', async () => {
    const balancer = balancerWith({ balance: 'prefix' });
    const servers = pair(['answer', 'wait'], ['answer', 'wait']);
    for (let time = 0; time < 20; time++)
      await responsesOf(balancer, servers, { prefix: `${time} `.repeat(200) }).next();
    expect(start(servers)).toEqual([10, 10]);
  });
});
