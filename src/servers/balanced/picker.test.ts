import { describe, expect, it } from 'vitest';
import { calmOptions } from '../../../test/support/balance-fixtures.ts';
import type { InferenceServer } from '../../kserve/server.ts';
import { leastLoad, randomOfTwo, roundRobin } from './picker.ts';
import { ServerState } from './server-state.ts';

function stateOf(name: string, running: number, { slowStart = 0, since = 0 } = {}): ServerState {
  const state = new ServerState({ name } as InferenceServer, () => ({ ...calmOptions, slowStart }), Math.random);
  for (let at = 0; at < running; at++) state.enter();
  if (slowStart > 0) state.startSlowly(since);
  return state;
}

const nameOf = ({ server }: ServerState) => server.name;

/** How often each is chosen. */
function counted(choose: (turn: number) => ServerState, times: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let turn = 0; turn < times; turn++) {
    const name = nameOf(choose(turn));
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

describe('leastLoad', () => {
  it('is the one with the fewest inferences', () => {
    const states = [stateOf('a', 3), stateOf('b', 1), stateOf('c', 2)];
    expect(counted((turn) => leastLoad(states, 0, turn), 3)).toEqual({ b: 3 });
  });

  it('is each in turn among equals', () => {
    const states = [stateOf('a', 1), stateOf('b', 1), stateOf('c', 1)];
    expect(counted((turn) => leastLoad(states, 0, turn), 30)).toEqual({ a: 10, b: 10, c: 10 });
  });

  it('spares a server that has just come, less and less', () => {
    const old = stateOf('old', 3);
    const young = stateOf('young', 1, { slowStart: 1000 });
    const chosenAt = (now: number) => nameOf(leastLoad([old, young], now, 0));
    expect([chosenAt(0), chosenAt(400), chosenAt(600), chosenAt(1000)]).toEqual(['old', 'old', 'young', 'young']);
  });
});

describe('roundRobin', () => {
  it('is each in turn, whatever their load', () => {
    const states = [stateOf('a', 9), stateOf('b', 0)];
    expect(counted((turn) => roundRobin(states, 0, { turn, random: Math.random }), 10)).toEqual({ a: 5, b: 5 });
  });

  it('passes over turns of a server that has just come', () => {
    const states = [stateOf('old', 0), stateOf('young', 0, { slowStart: 1000 })];
    const chances = Array.from({ length: 100 }, (_, at) => (at + 0.5) / 100);
    let at = 0;
    const random = () => chances[at++ % 100] ?? 0;
    const counts = counted((turn) => roundRobin(states, 100, { turn, random }), 1000);
    expect(counts['young']).toBeLessThan(150);
  });
});

describe('randomOfTwo', () => {
  it('is never the busier one of two', () => {
    const states = [stateOf('busy', 5), stateOf('calm', 1)];
    expect(counted(() => randomOfTwo(states, 0, { turn: 0, random: Math.random }), 50)).toEqual({ calm: 50 });
  });

  it('looks at all of many', () => {
    const states = ['a', 'b', 'c', 'd'].map((name) => stateOf(name, 1));
    const draws = Array.from({ length: 16 }, (_, at) => [Math.floor(at / 4) / 4, (at % 4) / 4]).flat();
    let at = 0;
    const random = () => draws[at++ % draws.length] ?? 0;
    expect(Object.keys(counted(() => randomOfTwo(states, 0, { turn: 0, random }), 16)).toSorted()).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
  });
});
