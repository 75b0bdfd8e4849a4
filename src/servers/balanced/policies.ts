import type { ServerState } from './server-state.ts';

/** The least loaded of several. Among equals it is the turn of the next one. */
export function leastLoad(states: readonly ServerState[], now: number, turn: number): ServerState {
  const first = turn % states.length;
  let best = states[first] as ServerState;
  let bestLoad = best.loadAt(now);
  for (let at = 1; at < states.length; at++) {
    const state = states[(first + at) % states.length] as ServerState;
    const load = state.loadAt(now);
    if (load >= bestLoad) continue;
    best = state;
    bestLoad = load;
  }
  return best;
}

interface Chance {
  readonly turn: number;
  readonly random: () => number;
}

/** Each in turn; one in its slow start passes some of its turns on. */
export function roundRobin(states: readonly ServerState[], now: number, { turn, random }: Chance): ServerState {
  const fullest = Math.max(...states.map((state) => state.weightAt(now)));
  for (let at = 0; at < states.length; at++) {
    const state = states[(turn + at) % states.length] as ServerState;
    if (random() < state.weightAt(now) / fullest) return state;
  }
  return states[turn % states.length] as ServerState;
}

/** Two by chance, and of these the less loaded one. */
export function randomOfTwo(states: readonly ServerState[], now: number, { random }: Chance): ServerState {
  const first = Math.floor(random() * states.length);
  const second = (first + 1 + Math.floor(random() * (states.length - 1))) % states.length;
  return leastLoad([states[first] as ServerState, states[second] as ServerState], now, 0);
}

/** Of the least loaded ones the one that a number belongs to: processes that do not know each other agree on it. */
export function rendezvous(states: readonly ServerState[], now: number, number: number): ServerState {
  const loads = states.map((state) => state.loadAt(now));
  const least = Math.min(...loads);
  const equals = states.filter((_, at) => loads[at] === least);
  const ranked = equals.map((state) => ({ state, rank: rankOf(state.server.name, number) }));
  return ranked.reduce((best, next) => (next.rank > best.rank ? next : best)).state;
}

function rankOf(name: string, number: number): number {
  let rank = number;
  for (let at = 0; at < name.length; at++) {
    rank = Math.imul(rank ^ name.charCodeAt(at), 0x01000193);
    rank ^= rank >>> 15;
  }
  // The last letters, in which names differ most, must move the upper bits too.
  return Math.imul(rank ^ (rank >>> 13), 0x85ebca6b) >>> 0;
}
