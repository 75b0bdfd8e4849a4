import { describe, expect, it, vi } from 'vitest';
import { GateFull } from '../../limits/gates.ts';
import { LocalGates } from '../../limits/local-gates.ts';
import type { RateResult, Rates } from '../../limits/rates.ts';
import { SingleProcessLink } from '../../link.ts';
import type { MetricJson } from '../../telemetry/metrics/instruments.ts';
import { hostLimits, RemoteGates, RemoteRates } from './limits.ts';
import { hostLink, WorkerLink } from './link.ts';
import { type Message, Messenger } from './messenger.ts';
import { MetricHistory } from './metric-history.ts';

/** The two ends of a wire that carries JSON, as a wire between processes does. */
function wire(): { readonly primary: Messenger; readonly worker: Messenger } {
  const copied = (messages: readonly Message[]): unknown => JSON.parse(JSON.stringify(messages));
  const primary: Messenger = new Messenger((messages) => setImmediate(() => worker.receive(copied(messages))));
  const worker: Messenger = new Messenger((messages) => setImmediate(() => primary.receive(copied(messages))));
  return { primary, worker };
}

const never = new AbortController().signal;
const gate = { name: 'llama', running: 2, waiting: 1 };

describe('gates that stand in the primary', () => {
  /** Several workers in front of the same gates. */
  function pool(size: number) {
    const gates = new LocalGates();
    const workers = Array.from({ length: size }, () => {
      const { primary, worker } = wire();
      const release = hostLimits(primary, gates);
      return { gates: new RemoteGates(worker), release };
    });
    return { gates, workers };
  }

  it('hold for all workers together', async () => {
    const { gates, workers } = pool(3);
    const leaves = await Promise.all(workers.slice(0, 2).map((worker) => worker.gates.enter(gate, visit())));
    const third = workers[2]?.gates.enter(gate, visit());
    await expect(workers[0]?.gates.enter(gate, visit())).rejects.toEqual(new GateFull('llama', 1));
    leaves[0]?.();
    leaves[0]?.();
    (await third)?.();
    leaves[1]?.();
    await expect.poll(() => gates.size).toBe(0);
  });

  it('let as many in as want where there is no limit', async () => {
    const { gates, workers } = pool(1);
    const open = { name: 'llama', running: Number.POSITIVE_INFINITY, waiting: Number.POSITIVE_INFINITY };
    const leaves = await Promise.all([1, 2, 3].map(() => workers[0]?.gates.enter(open, visit())));
    expect(gates.counts('llama')).toEqual({ running: 3, waiting: 0 });
    for (const leave of leaves) leave?.();
    await expect.poll(() => gates.size).toBe(0);
  });

  it('let one that waits leave the queue', async () => {
    const { gates, workers } = pool(1);
    const [worker] = workers;
    const open = { ...gate, running: 1 };
    await worker?.gates.enter(open, visit());
    const stop = new AbortController();
    const waiting = worker?.gates.enter(open, visit(stop.signal));
    await expect.poll(() => gates.counts('llama')).toEqual({ running: 1, waiting: 1 });
    stop.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    expect(gates.counts('llama')).toEqual({ running: 1, waiting: 0 });
  });

  it('take back the place of one that was let in while it left', async () => {
    const { gates, workers } = pool(1);
    const stop = new AbortController();
    const entering = workers[0]?.gates.enter(gate, visit(stop.signal));
    stop.abort(new Error('left'));
    await expect(entering).rejects.toThrow('left');
    await expect.poll(() => gates.size).toBe(0);
  });

  it('free what a worker holds and waits for when it is gone', async () => {
    const { gates, workers } = pool(2);
    const [dead, alive] = workers;
    const open = { ...gate, running: 1, waiting: 2 };
    await dead?.gates.enter(open, visit());
    const lost = dead?.gates.enter(open, visit());
    lost?.catch(() => undefined);
    const waiting = alive?.gates.enter(open, visit());
    await expect.poll(() => gates.counts('llama')).toEqual({ running: 1, waiting: 2 });
    dead?.release();
    (await waiting)?.();
    await expect.poll(() => gates.size).toBe(0);
  });
});

function visit(signal = never) {
  return { priority: 0, signal };
}

describe('rates that are counted in the primary', () => {
  it('are counted and charged there', async () => {
    const taken: unknown[] = [];
    const response: RateResult = { isAllowed: true, left: Number.POSITIVE_INFINITY, fullIn: 0, retryIn: 0 };
    const rates: Rates = {
      take: async (rate, amount) => {
        taken.push(['take', rate, amount]);
        return response;
      },
      charge: (rate, amount) => taken.push(['charge', rate, amount]),
      close: async () => undefined,
    };
    const { primary, worker } = wire();
    hostLimits(primary, new LocalGates(), rates);
    const remote = new RemoteRates(worker);
    const rate = { name: 'tokens of ann', perMinute: 10 };
    remote.charge(rate, 7);
    expect(await remote.take(rate, 3)).toEqual(response);
    expect(taken).toEqual([
      ['charge', rate, 7],
      ['take', rate, 3],
    ]);
  });
});

describe('a request to all workers', () => {
  function linked(size: number) {
    const wires = Array.from({ length: size }, wire);
    const history = new MetricHistory();
    const alive = new Set(wires);
    const workers = () =>
      [...alive].map(({ primary }) => ({
        number: wires.findIndex((one) => one.primary === primary) + 1,
        messenger: primary,
      }));
    for (const { primary } of wires) hostLink(primary, { workers, history });
    const links = wires.map(({ worker }) => new WorkerLink(worker)) as [WorkerLink, WorkerLink, ...WorkerLink[]];
    const end = (number: number): void => {
      const [ended] = wires.slice(number - 1);
      if (ended) alive.delete(ended);
      history.removeWorker(number);
    };
    return { wires, links, end };
  }

  it('gets the responses of all workers, and counts missing ones', async () => {
    const { wires, links } = linked(4);
    const [asking, second, third] = links;
    asking.register('sum', (argument) => (argument as number) + 1);
    second.register('sum', async (argument) => (argument as number) + 2);
    third?.register('sum', () => {
      throw new Error('no');
    });
    wires[3]?.primary.close();
    expect(await asking.askAll('sum', 40)).toEqual({ responses: [41, 42], missing: 2 });
  });

  it('carries what JSON cannot say', async () => {
    const [asking] = linked(1).links;
    asking.register('echo', (argument) => argument);
    const value = { value: Number.NaN, most: Number.POSITIVE_INFINITY, none: undefined, list: new Map([[1, 'x']]) };
    expect(await asking.askAll('echo', value)).toEqual({ responses: [value], missing: 0 });
  });

  it('gets the response of the only process without workers', async () => {
    const link = new SingleProcessLink();
    link.register('sum', (argument) => (argument as number) + 1);
    expect(await link.askAll('sum', 1)).toEqual({ responses: [2], missing: 0 });
    expect(await link.askAll('nothing')).toEqual({ responses: [], missing: 0 });
  });

  it('has as long as whoever asks says', async () => {
    const [asking] = linked(1).links;
    asking.register('never', () => new Promise(() => undefined));
    expect(await asking.askAll('never', undefined, { timeout: 1 })).toEqual({ responses: [], missing: 1 });
  });

  it('for metrics never gives a smaller count, whoever is silent or gone', async () => {
    const { links, end } = linked(2);
    const [one, other] = links;
    const counted = (value: number) => () => [
      { name: 'c', help: '', type: 'counter', aggregator: 'sum', values: [{ labels: { a: 'x' }, value }] },
      { name: 'g', help: '', type: 'gauge', aggregator: 'sum', values: [{ labels: {}, value }] },
    ];
    const read = async () => {
      const { responses } = await one.askAll('metrics');
      const all = (responses as MetricJson[][]).flat();
      const sum = (name: string) =>
        all
          .filter((metric) => metric.name === name)
          .flatMap(({ values }) => values)
          .reduce((total, { value }) => total + value, 0);
      return ['c', 'g', 'conch_workers', 'conch_worker_answers_missing_total'].map(sum);
    };
    one.register('metrics', counted(3));
    other.register('metrics', counted(4));
    expect(await read()).toEqual([7, 7, 2, 0]);
    other.register('metrics', () => Promise.reject(new Error('busy')));
    expect(await read()).toEqual([7, 7, 2, 1]);
    end(2);
    expect(await read()).toEqual([7, 3, 1, 1]);
    end(2);
    one.register('metrics', counted(5));
    expect(await read()).toEqual([9, 5, 1, 1]);
  });
});

describe('Messenger', () => {
  it('sends all messages of one turn of the event loop together, in their order', async () => {
    const sent: (readonly Message[])[] = [];
    const messenger = new Messenger((messages) => sent.push(messages));
    messenger.notify('a', 1);
    void messenger.ask('b', 2);
    await Promise.resolve();
    messenger.notify('c');
    expect(sent).toEqual([]);
    await new Promise(setImmediate);
    messenger.notify('d');
    await new Promise(setImmediate);
    expect(sent).toEqual([
      [
        { kind: 'notification', name: 'a', argument: 1 },
        { kind: 'request', id: 0, name: 'b', argument: 2 },
        { kind: 'notification', name: 'c', argument: undefined },
      ],
      [{ kind: 'notification', name: 'd', argument: undefined }],
    ]);
  });

  it('sends nothing once the other end is gone', async () => {
    const send = vi.fn<(messages: readonly Message[]) => void>();
    const messenger = new Messenger(send);
    messenger.notify('a');
    messenger.close();
    messenger.notify('b');
    await new Promise(setImmediate);
    expect(send).not.toHaveBeenCalled();
  });

  it('rejects requests without a response in time, and pending ones when the other end closes', async () => {
    const silent = new Messenger(() => undefined);
    await expect(silent.ask('x', undefined, { timeout: 1 })).rejects.toThrow('x: no response within 1 ms.');
    const open = silent.ask('y');
    silent.close();
    await expect(open).rejects.toThrow('The other process has ended.');
    await expect(silent.ask('z')).rejects.toThrow('The other process has ended.');
  });
});
