import { describe, expect, it } from 'vitest';
import { calmOptions } from '../../../test/support/balance-fixtures.ts';
import type { InferenceServer } from '../../kserve/server.ts';
import { ejectOutlier } from './ejection.ts';
import { ServerState } from './server-state.ts';

/** A server with so many good and bad inferences behind it. */
function stateOf(good: number, bad: number): ServerState {
  const state = new ServerState(
    { name: 'x' } as InferenceServer,
    () => ({ ...calmOptions, slowStart: 1000 }),
    () => 0.5,
  );
  for (let at = 0; at < good + bad; at++) state.outcomes.add(0, at < good);
  return state;
}

function ejected(suspect: ServerState, others: readonly ServerState[], time = 100): boolean {
  ejectOutlier(suspect, [suspect, ...others], { now: 0, time });
  return suspect.ejectedUntil > 0;
}

describe('ejectOutlier', () => {
  it('takes out a server that fails far more than the others', () => {
    expect(ejected(stateOf(7, 3), [stateOf(10, 0)])).toBe(true);
    expect(ejected(stateOf(8, 2), [stateOf(10, 0)])).toBe(false);
    expect(ejected(stateOf(0, 10), [stateOf(2, 8)])).toBe(false);
    expect(ejected(stateOf(0, 9), [stateOf(10, 0)])).toBe(false);
    expect(ejected(stateOf(0, 10), [stateOf(10, 0)], 0)).toBe(false);
  });

  it('never takes out more than half of them', () => {
    expect(ejected(stateOf(0, 10), [])).toBe(false);
    const states = [stateOf(0, 10), stateOf(0, 10), stateOf(0, 10), stateOf(10, 0), stateOf(10, 0)];
    for (const state of states) ejectOutlier(state, states, { now: 0, time: 100 });
    expect(states.map((state) => state.ejectedUntil)).toEqual([100, 100, 0, 0, 0]);
  });

  it('takes it back slowly, and takes it out for longer the next time', () => {
    const state = stateOf(0, 10);
    expect(ejected(state, [stateOf(10, 0)])).toBe(true);
    expect([state.ejectedUntil, state.isOpenTo('m', 99), state.isOpenTo('m', 100)]).toEqual([100, false, true]);
    expect([state.weightAt(100), state.weightAt(600), state.weightAt(1100)]).toEqual([0.1, 0.5, 1]);
    for (let at = 0; at < 10; at++) state.outcomes.add(200, false);
    ejectOutlier(state, [state, stateOf(10, 0)], { now: 200, time: 100 });
    expect(state.ejectedUntil).toBe(400);
  });

  it('forgets one time for every quiet minute', () => {
    const state = stateOf(0, 0);
    const times = [0, 1000, 2000, 125_000].map((now) => {
      for (let at = 0; at < 10; at++) state.outcomes.add(now, false);
      ejectOutlier(state, [state, stateOf(10, 0)], { now, time: 100 });
      return state.ejectedUntil - now;
    });
    expect(times).toEqual([100, 200, 300, 200]);
  });
});
