import { afterEach, describe, expect, it, vi } from 'vitest';
import { failureOf, life, nothing, vectors } from '../../test/support/model-life.ts';
import type { ModelConfig } from '../kserve/messages.ts';

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
    expect(await forB).toEqual({
      code: 'client_closed_request',
      message: 'The client disconnected before the response was complete.',
    });
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

  it('is unloaded, and no longer listed, when it cannot serve requests', async () => {
    const { server, onDemand, enter } = await life({ numbers: nothing });
    expect(onDemand.loadable()).toEqual(['numbers']);
    expect(await enter('numbers')).toBeUndefined();
    expect(server.orders).toEqual(['load numbers', 'unload numbers']);
    expect(onDemand.loadable()).toEqual([]);
  });

  it('is reloaded if it only creates embeddings, after a request while it was unloaded', async () => {
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

  it('stays loaded, and is checked again, when its configuration could not be read', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { server, onDemand, enter } = await life({ a: {} });
    server.silent.add('a');
    const failure = {
      code: 'model_not_ready',
      message: 'The model a is loaded, but its server did not return its configuration. Try again later.',
    };
    expect([await failureOf(enter('a')), await failureOf(enter('a'))]).toEqual([failure, failure]);
    expect(server.orders).toEqual(['load a']);
    expect(onDemand.canLoad('a')).toBe(true);
    server.silent.clear();
    vi.advanceTimersByTime(5_001);
    expect(typeof (await enter('a'))).toBe('function');
    expect(server.orders).toEqual(['load a']);
  });

  it('is retried when the settings have changed since it could not serve requests', async () => {
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

  it('is retried when it was loaded explicitly and can serve requests now', async () => {
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
    const { server, registry, control, enter, errors } = await life({ inner: {}, outer: steps, other: {} });
    const leaves = [await enter('outer'), await enter('inner'), await enter('other')];
    const unloading = control.unload('inner', ({ state }) => {
      if (state !== 'DRAINING') return;
      expect(registry.list().map(({ name }) => name)).toEqual(['other']);
    });
    await expect.poll(() => errors.length).toBe(2);
    for (const leave of leaves) leave?.();
    await unloading;
    const message = 'The model inner is being unloaded, and this request did not finish within 0 s (--unload-timeout).';
    expect(errors.map((error) => [error.code, error.message])).toEqual([
      ['model_not_ready', message],
      ['model_not_ready', message],
    ]);
    expect(server.orders).toEqual(['load outer', 'load inner', 'load other', 'unload inner']);
  });
});
