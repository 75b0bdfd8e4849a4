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
