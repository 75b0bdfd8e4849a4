import type { GroupOptions } from '../../kserve/server-group.ts';
import type { BalanceOptions } from './balance-options.ts';
import { blocksOf, PrefixIndex } from './prefix-index.ts';
import type { ServerState } from './server-state.ts';

/** The least loaded of several; among equals, the next in turn. */
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

/** Each in turn; one in its slow start skips some of its turns. */
export function roundRobin(states: readonly ServerState[], now: number, { turn, random }: Chance): ServerState {
  const fullest = Math.max(...states.map((state) => state.weightAt(now)));
  for (let at = 0; at < states.length; at++) {
    const state = states[(turn + at) % states.length] as ServerState;
    if (random() < state.weightAt(now) / fullest) return state;
  }
  return states[turn % states.length] as ServerState;
}

/** The less loaded of two random servers. */
export function randomOfTwo(states: readonly ServerState[], now: number, { random }: Chance): ServerState {
  const first = Math.floor(random() * states.length);
  const second = (first + 1 + Math.floor(random() * (states.length - 1))) % states.length;
  return leastLoad([states[first] as ServerState, states[second] as ServerState], now, 0);
}

/** The least loaded server that ranks highest for a number: independent processes agree on it. */
function rendezvous(states: readonly ServerState[], now: number, number: number): ServerState {
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
  // The last letters, where names differ most, must change the upper bits too.
  return Math.imul(rank ^ (rank >>> 13), 0x85ebca6b) >>> 0;
}

/** The maximum number of remembered prompt blocks, for all models together: about ten megabytes. */
const mostBlocks = 100_000;

/** How many more requests than the least loaded server the one with the warm cache may always have. */
const prefixSlack = 4;

/** Picks one of several available servers by the operator's policy. */
export class Picker {
  readonly #options: () => BalanceOptions;
  readonly #random: () => number;
  readonly #prefixes = new PrefixIndex<ServerState>(mostBlocks);
  #turn = 0;

  constructor(options: () => BalanceOptions, random: () => number) {
    this.#options = options;
    this.#random = random;
  }

  pick(
    open: readonly [ServerState, ...ServerState[]],
    { model, prefix }: { readonly model: string; readonly prefix: GroupOptions['prefix'] },
    now: number,
  ): ServerState {
    const { balance } = this.#options();
    if (balance === 'prefix' && prefix !== undefined) return this.#warmest(open, blocksOf(model, prefix), now);
    if (open.length === 1) return open[0];
    const chance = { turn: this.#turn++, random: this.#random };
    if (balance === 'round-robin') return roundRobin(open, now, chance);
    if (balance === 'random-of-two') return randomOfTwo(open, now, chance);
    return leastLoad(open, now, chance.turn);
  }

  /** Forgets the cache of a server, which was lost. */
  forget(state: ServerState): void {
    this.#prefixes.forget(state);
  }

  #warmest(open: readonly ServerState[], blocks: readonly number[], now: number): ServerState {
    const { prefixOverload } = this.#options();
    const turn = this.#turn++;
    const [first] = blocks;
    const least = first === undefined ? leastLoad(open, now, turn) : rendezvous(open, now, first);
    const warm = this.#prefixes.holdersOf(blocks, open);
    const best = warm.length > 0 ? leastLoad(warm, now, turn) : least;
    const isOverloaded = best.loadAt(now) > prefixOverload * least.loadAt(now) + prefixSlack;
    const chosen = isOverloaded ? least : best;
    this.#prefixes.remember(blocks, chosen);
    return chosen;
  }
}
