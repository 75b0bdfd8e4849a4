import { afterEach, describe, expect, it, vi } from 'vitest';
import { failureOf, life } from '../../test/support/model-life.ts';
import { type Link, SingleProcessLink } from '../link.ts';
import { RunningRequests } from './running-requests.ts';
import { SharedRequests } from './shared-requests.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a model with limits', () => {
  const limited = () => life({ a: {}, b: {} }, 1, (root) => (root === 'a' ? { running: 1, waiting: 1 } : undefined));

  it('lets one in under any of its names, has one wait and refuses the next', async () => {
    const { enter } = await limited();
    const first = await enter('a');
    const second = enter('alias');
    expect(await failureOf(enter('a_lora_x'))).toEqual({
      code: 'rate_limit_exceeded',
      message: 'The queue of the model a is full: the limits are 1 running and 1 waiting requests. Try again in 1 s.',
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
    expect(await left).toEqual({
      code: 'client_closed_request',
      message: 'The client disconnected before the response was complete.',
    });
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
    const own = [new SingleProcessLink(), new SingleProcessLink()] as const;
    const askAll: Link['askAll'] = async (prompt, argument) => {
      const all = await Promise.all(own.map((link) => link.askAll(prompt, argument)));
      return { responses: all.flatMap(({ responses }) => responses), missing: missing(prompt) };
    };
    const linkOf = (link: SingleProcessLink): Link => ({
      register: (prompt, respond) => link.register(prompt, respond),
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
    await expect.poll(() => other.errors.map(({ code }) => code)).toEqual(['model_not_ready']);
    expect([one, other].map(({ registry }) => registry.isOffered('a'))).toEqual([false, false]);
    leave?.();
    await unloading;
    expect(states[0]).toEqual(['DRAINING', 1]);
    expect([one, other].map(({ registry }) => registry.isOffered('a'))).toEqual([false, true]);
  });

  it('is not taken for idle while one of them is too busy to say', async () => {
    let silent = 2;
    const requested: string[] = [];
    const [link] = paired((prompt) => {
      requested.push(prompt);
      return prompt === 'requests.count' && silent-- > 0 ? 1 : 0;
    });
    const registry = { refresh: async () => undefined, withdraw: () => () => undefined };
    const requests = new SharedRequests({ link, registry, running: new RunningRequests() });
    expect(await requests.idle(['a'], 60_000)).toBe(true);
    expect(requested).toEqual(['requests.count', 'requests.count', 'requests.count']);
  });
});
