import type { Adapter } from './adapters.ts';
import type { ContextBinding } from './engine-types.ts';

/** One generation, as the loop sees it. */
export interface LoopJob {
  readonly prompt: readonly number[];
  /** The adapter that all of it is evaluated with. */
  readonly adapter: Adapter | undefined;
  /** True while its reader is paused. */
  readonly isPaused: boolean;
  /** True once it has ended or was cancelled. */
  readonly isOver: boolean;
  /** It got a sequence, which already contains this many tokens of its prompt. */
  begin(reusedTokens: number): void;
  /** Samples the next token from the logits at this index; undefined at the end. */
  advance(context: ContextBinding, at: number): Promise<number | undefined>;
  fail(error: unknown): void;
}

/** One sequence of the context, and its content. */
export interface Slot {
  readonly sequence: number;
  /** The evaluated tokens; the next conversation may start with them. */
  readonly tokens: number[];
  /** The adapter that evaluated `tokens`: another one of the same name cannot continue them. */
  adapter: Adapter | undefined;
  job: LoopJob | undefined;
  /** The tokens that wait for evaluation. */
  pending: number[];
  lastUsed: number;
}

/** How many of its waiting tokens a sequence puts into the next batch. */
export interface Share {
  readonly slot: Slot;
  readonly count: number;
}

/** Prompt tokens in a batch with running generations: more would cause a noticeable pause in them. */
const sharedPromptTokens = 64;

/** Prompt tokens in a batch of only prompts: more would delay a cancellation. */
const promptTokens = 256;

/** Every running generation gets its token; new prompts share the rest of the batch equally. */
export function planBatch(slots: readonly Slot[], batchSize: number): Share[] {
  const generating = slots.filter(({ pending }) => pending.length === 1);
  const reading = slots.filter(({ pending }) => pending.length > 1);
  const shares: Share[] = generating.map((slot) => ({ slot, count: 1 }));
  const most = generating.length > 0 ? sharedPromptTokens : promptTokens;
  let capacity = Math.min(most, batchSize - generating.length);
  // The shortest first: the others get what it does not use.
  const byLength = reading.toSorted((a, b) => a.pending.length - b.pending.length);
  byLength.forEach((slot, index) => {
    const count = Math.min(slot.pending.length, Math.floor(capacity / (byLength.length - index)));
    if (count === 0) return;
    shares.push({ slot, count });
    capacity -= count;
  });
  return shares;
}

/** The length of the common prefix of two sequences. */
export function commonPrefix(one: readonly number[], other: readonly number[]): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) if (one[at] !== other[at]) return at;
  return length;
}
