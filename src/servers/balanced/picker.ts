import type { GroupOptions } from '../../kserve/server-group.ts';
import type { BalanceOptions } from './balance-options.ts';
import { leastLoad, randomOfTwo, rendezvous, roundRobin } from './policies.ts';
import { blocksOf, PrefixIndex } from './prefix-index.ts';
import type { ServerState } from './server-state.ts';

/** Blocks of prompts that are remembered, for all models together: some ten megabytes. */
const mostBlocks = 100_000;

/** Requests that the server with the warm cache may always have more than the least loaded one. */
const prefixSlack = 4;

/** Picks one of several servers that would all do, as the operator has set. */
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

  /** A server's cache is gone. */
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
