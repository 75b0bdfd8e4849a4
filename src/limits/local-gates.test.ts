import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GateFull, type Release } from './gates.ts';
import { LocalGates } from './local-gates.ts';

const never = new AbortController().signal;
const gate = { name: 'llama', running: 2, waiting: 2 };

/** Somebody at a gate, and what became of it. */
function visit(gates: LocalGates, options: { priority?: number; running?: number; waiting?: number } = {}) {
  const { priority = 0, ...limits } = options;
  const stop = new AbortController();
  const state = { leave: undefined as Release | undefined, fault: undefined as unknown, stop };
  const settled = gates.enter({ ...gate, ...limits }, { priority, signal: stop.signal }).then(
    (leave) => (state.leave = leave),
    (error: unknown) => (state.fault = error),
  );
  return Object.assign(state, { settled });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('LocalGates', () => {
  it('lets so many in, has so many wait, and refuses the next', async () => {
    const gates = new LocalGates();
    const visits = Array.from({ length: 5 }, () => visit(gates));
    await turn();
    expect(visits.map(({ leave }) => leave !== undefined)).toEqual([true, true, false, false, false]);
    expect(visits[4]?.fault).toEqual(new GateFull('llama', 1));
    expect(gates.counts('llama')).toEqual({ running: 2, waiting: 2 });
    visits[0]?.leave?.();
    visits[0]?.leave?.();
    await turn();
    expect(gates.counts('llama')).toEqual({ running: 2, waiting: 1 });
    expect(visits[2]?.leave).toBeDefined();
  });

  it('lets those with a higher number in first, equal ones in their order', async () => {
    const gates = new LocalGates();
    const order: number[] = [];
    const first = await gates.enter({ ...gate, running: 1, waiting: 9 }, { priority: 0, signal: never });
    const all = [0, 5, -1, 5, 0].map(async (priority, index) => {
      const leave = await gates.enter({ ...gate, running: 1, waiting: 9 }, { priority, signal: never });
      order.push(index);
      leave();
    });
    first();
    await Promise.all(all);
    expect(order).toEqual([1, 3, 0, 4, 2]);
  });

  it('gives the place of one that leaves the queue to another', async () => {
    const gates = new LocalGates();
    const [, , waiting] = Array.from({ length: 4 }, () => visit(gates));
    waiting?.stop.abort(new Error('left'));
    await waiting?.settled;
    expect(waiting?.fault).toEqual(new Error('left'));
    const late = visit(gates);
    await turn();
    expect(late.fault).toBeUndefined();
    expect(gates.counts('llama')).toEqual({ running: 2, waiting: 2 });
  });

  it('refuses one that had left before it came', async () => {
    const gates = new LocalGates();
    await expect(gates.enter(gate, { priority: 0, signal: AbortSignal.abort(new Error('left')) })).rejects.toThrow(
      'left',
    );
    expect(gates.size).toBe(0);
  });

  it('follows a limit that changes while some wait', async () => {
    const gates = new LocalGates();
    const visits = Array.from({ length: 4 }, () => visit(gates));
    const wider = visit(gates, { running: 4 });
    await turn();
    expect(visits.every(({ leave }) => leave)).toBe(true);
    expect(wider.leave).toBeUndefined();
    expect(gates.counts('llama')).toEqual({ running: 4, waiting: 1 });
  });

  it('removes an empty gate', async () => {
    const gates = new LocalGates();
    const one = visit(gates, { running: 1, waiting: 0 });
    await one.settled;
    const refused = visit(gates, { running: 1, waiting: 0 });
    await refused.settled;
    expect(gates.size).toBe(1);
    one.leave?.();
    expect(gates.size).toBe(0);
  });

  it.each([
    { took: 0, after: 1 },
    { took: 8_000, after: 12 },
    { took: 3_600_000, after: 60 },
  ])('says that the queue takes $after s where visits take $took ms', async ({ took, after }) => {
    let now = 0;
    const gates = new LocalGates(() => now);
    for (let count = 0; count < 4; count++) visit(gates);
    now = took;
    const late = visit(gates);
    await late.settled;
    expect(late.fault).toEqual(new GateFull('llama', after));
  });

  it('keeps its word whatever comes in whatever order', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('enter' as const), priority: fc.integer({ min: -2, max: 2 }) }),
      fc.record({ kind: fc.constantFrom('leave' as const, 'abort' as const), at: fc.nat(30) }),
    );
    const plan = fc.record({ running: fc.integer({ min: 1, max: 3 }), waiting: fc.nat(4), steps: fc.array(step) });
    await fc.assert(
      fc.asyncProperty(plan, async ({ running, waiting, steps }) => {
        const gates = new LocalGates();
        const visits: ReturnType<typeof visit>[] = [];
        const inside = new Set<ReturnType<typeof visit>>();
        let queue: { readonly visitor: ReturnType<typeof visit>; readonly priority: number }[] = [];
        const admitNext = (): void => {
          const [next] = queue.toSorted((a, b) => b.priority - a.priority);
          if (!next || inside.size >= running) return;
          queue = queue.filter((other) => other !== next);
          inside.add(next.visitor);
        };
        for (const action of steps) {
          if (action.kind === 'enter') {
            const visitor = visit(gates, { priority: action.priority, running, waiting });
            visits.push(visitor);
            if (inside.size < running) inside.add(visitor);
            else if (queue.length < waiting) queue.push({ visitor, priority: action.priority });
          } else {
            const visitor = visits[action.at % Math.max(1, visits.length)];
            if (action.kind === 'abort') {
              visitor?.stop.abort(new Error('left'));
              queue = queue.filter((other) => other.visitor !== visitor);
            } else if (visitor?.leave) {
              visitor.leave();
              if (inside.delete(visitor)) admitNext();
            }
          }
          await turn();
          expect(gates.counts('llama')).toEqual({ running: inside.size, waiting: queue.length });
          expect(inside.size).toBeLessThanOrEqual(running);
          for (const visitor of inside) expect(visitor.leave).toBeDefined();
          for (const { visitor } of queue) expect([visitor.leave, visitor.fault]).toEqual([undefined, undefined]);
          expect(gates.size).toBe(inside.size + queue.length > 0 ? 1 : 0);
        }
      }),
      { numRuns: 200, seed: 9 },
    );
  });
});
