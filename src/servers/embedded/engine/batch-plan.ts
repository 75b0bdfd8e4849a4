import type { Slot } from './slot.ts';

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
