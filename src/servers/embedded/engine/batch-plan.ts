import type { Adapter } from './adapters.ts';
import type { ContextBinding } from './engine-types.ts';

/** One generation, as the loop sees it. */
export interface LoopJob {
  readonly prompt: readonly number[];
  /** The adapter that all of it is evaluated with. */
  readonly adapter: Adapter | undefined;
  /** True while its reader has more than enough to read. */
  readonly isPaused: boolean;
  /** True once nobody wants the rest. */
  readonly isOver: boolean;
  /** It has got a sequence; so many tokens of its prompt were there already. */
  begin(reusedTokens: number): void;
  /** Takes the next token from the logits at this place: the token to go on with, or undefined at the end. */
  advance(context: ContextBinding, at: number): Promise<number | undefined>;
  fail(error: unknown): void;
}

/** One sequence of the context, and what stands in it. */
export interface Slot {
  readonly sequence: number;
  /** What was evaluated; the next conversation may begin with it. */
  readonly tokens: number[];
  /** What `tokens` were evaluated with: another one of the same name cannot go on with them. */
  adapter: Adapter | undefined;
  job: LoopJob | undefined;
  /** What is still to be evaluated. */
  pending: number[];
  lastUsed: number;
}

/** How many of its waiting tokens a sequence puts into the next batch. */
export interface Share {
  readonly slot: Slot;
  readonly count: number;
}

/** Tokens of prompts in a batch that others wait for: more would be felt as a pause in their answers. */
const sharedPromptTokens = 64;

/** Tokens of prompts in a batch of prompts alone: more would make a cancel wait. */
const promptTokens = 256;

/** Every running answer gets its token; what room is left goes to new prompts in equal parts. */
export function planBatch(slots: readonly Slot[], batchSize: number): Share[] {
  const answering = slots.filter(({ pending }) => pending.length === 1);
  const reading = slots.filter(({ pending }) => pending.length > 1);
  const shares: Share[] = answering.map((slot) => ({ slot, count: 1 }));
  const most = answering.length > 0 ? sharedPromptTokens : promptTokens;
  let room = Math.min(most, batchSize - answering.length);
  // The shortest first: what it leaves over is for the others.
  const byLength = reading.toSorted((a, b) => a.pending.length - b.pending.length);
  byLength.forEach((slot, index) => {
    const count = Math.min(slot.pending.length, Math.floor(room / (byLength.length - index)));
    if (count === 0) return;
    shares.push({ slot, count });
    room -= count;
  });
  return shares;
}

/** How many tokens two sequences have in common at their beginning. */
export function commonPrefix(one: readonly number[], other: readonly number[]): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) if (one[at] !== other[at]) return at;
  return length;
}
