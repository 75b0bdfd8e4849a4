import { describe, expect, it } from 'vitest';
import { arrivals, generateLoad, shareOf } from './generate-load.ts';
import type { Extent, Outcome, Pace } from './messages.ts';

const outcome = (index: number): Outcome => ({
  index,
  startedAt: 0,
  firstAt: 1,
  lastAt: 2,
  events: 1,
  wasResent: false,
  texts: [],
  promptTokens: undefined,
  completionTokens: undefined,
  error: undefined,
});

async function load(pace: Pace, extent: Extent, location: { worker: number; workers: number }, stopAfter = Infinity) {
  const stop = new AbortController();
  let open = 0;
  let mostOpen = 0;
  const indices: number[] = [];
  await generateLoad({
    task: { pace, extent, ...location },
    stop: stop.signal,
    send: async (index) => {
      mostOpen = Math.max(mostOpen, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return outcome(index);
    },
    onOutcome: ({ index }) => {
      indices.push(index);
      if (indices.length >= stopAfter) stop.abort();
    },
  });
  return { mostOpen, indices: indices.toSorted((a, b) => a - b) };
}

describe('generateLoad', () => {
  it('keeps so many requests open and sends so many in all, shared among the workers', async () => {
    const pace = { kind: 'concurrency', concurrency: 5 } as const;
    const first = await load(pace, { requests: 9 }, { worker: 0, workers: 2 });
    const second = await load(pace, { requests: 9 }, { worker: 1, workers: 2 });
    expect(first).toEqual({ mostOpen: 3, indices: [0, 2, 4, 5, 7] });
    expect(second).toEqual({ mostOpen: 2, indices: [1, 3, 6, 8] });
  });

  it('loses no request where there are more workers than open requests', async () => {
    const pace = { kind: 'concurrency', concurrency: 1 } as const;
    const [first, second] = await Promise.all(
      [0, 1].map((worker) => load(pace, { requests: 10 }, { worker, workers: 2 })),
    );
    expect([first?.indices, second?.indices]).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], []]);
    expect(await load(pace, { milliseconds: 60_000 }, { worker: 1, workers: 2 })).toEqual({ mostOpen: 0, indices: [] });
  });

  it('begins requests at their times, shared among the workers', async () => {
    const pace = { kind: 'rate', perSecond: 2000, arrival: 'constant', seed: 1 } as const;
    const first = await load(pace, { requests: 7 }, { worker: 0, workers: 2 });
    const second = await load(pace, { requests: 7 }, { worker: 1, workers: 2 });
    expect([first.indices, second.indices]).toEqual([
      [0, 2, 4, 6],
      [1, 3, 5],
    ]);
  });

  it('pauses longer and longer while the server is unreachable', async () => {
    let sent = 0;
    await generateLoad({
      task: { pace: { kind: 'concurrency', concurrency: 1 }, extent: { milliseconds: 100 }, worker: 0, workers: 1 },
      stop: new AbortController().signal,
      send: async (index) => {
        sent++;
        return { ...outcome(index), error: 'connection failed: ECONNREFUSED' };
      },
      onOutcome: () => undefined,
    });
    // At 0, 10, 30 and 70 ms; before the next the time is over.
    expect(sent).toBeLessThanOrEqual(4);
  });

  it('starts the next request without waiting for a response', async () => {
    const pace = { kind: 'rate', perSecond: 2000, arrival: 'constant', seed: 1 } as const;
    let open = 0;
    let allBegan: () => void = () => undefined;
    const all = new Promise<void>((resolve) => (allBegan = resolve));
    await generateLoad({
      task: { pace, extent: { requests: 7 }, worker: 0, workers: 1 },
      stop: new AbortController().signal,
      send: async (index) => {
        if (++open === 7) allBegan();
        await all;
        return outcome(index);
      },
      onOutcome: () => undefined,
    });
    expect(open).toBe(7);
  });

  it('reads responses while it is late', async () => {
    const pace = { kind: 'rate', perSecond: 1e9, arrival: 'constant', seed: 1 } as const;
    const { mostOpen, indices } = await load(pace, { requests: 200 }, { worker: 0, workers: 1 });
    expect(indices).toHaveLength(200);
    expect(mostOpen).toBeLessThan(100);
  });

  it('begins no more once it is stopped', async () => {
    const pace = { kind: 'concurrency', concurrency: 1 } as const;
    expect((await load(pace, { requests: 100 }, { worker: 0, workers: 1 }, 3)).indices).toEqual([0, 1, 2]);
    expect((await load(pace, { milliseconds: 60_000 }, { worker: 0, workers: 1 }, 3)).indices).toEqual([0, 1, 2]);
  });
});

describe('arrivals', () => {
  const pace = { kind: 'rate', perSecond: 10, seed: 5 } as const;

  it('come evenly', () => {
    expect([...arrivals({ ...pace, arrival: 'constant' }, { requests: 3 })].map(({ at }) => at)).toEqual([0, 100, 200]);
    expect([...arrivals({ ...pace, arrival: 'constant' }, { milliseconds: 250 })]).toHaveLength(3);
  });

  it('come at random, at the same rate, and at the same times for the same seed', () => {
    const poisson = [...arrivals({ ...pace, arrival: 'poisson' }, { requests: 10_001 })];
    expect((poisson.at(-1)?.at ?? 0) / 10_000).toBeCloseTo(100, -1);
    expect([...arrivals({ ...pace, arrival: 'poisson' }, { requests: 10_001 })]).toEqual(poisson);
  });
});

describe('shareOf', () => {
  it('gives each worker its part', () => {
    expect([0, 1, 2].map((worker) => shareOf(8, { worker, workers: 3 }))).toEqual([3, 3, 2]);
  });
});
