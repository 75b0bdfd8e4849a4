import type { FinishReason, TokenLogprob } from './contract.ts';

/** What happens in a generation, in order: any number of deltas and one finish for each choice, then the usage. */
export type GenerateEvent =
  | {
      readonly type: 'text-delta';
      readonly choice: number;
      readonly text: string;
      /** How many tokens stand behind the text. */
      readonly tokens: number;
      readonly logprobs: readonly TokenLogprob[] | undefined;
    }
  | { readonly type: 'finish'; readonly choice: number; readonly reason: FinishReason }
  | { readonly type: 'prompt-tokens'; readonly count: number }
  | ({ readonly type: 'usage' } & TokenUsage);

/** The token counts of a whole request. */
export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** How many tokens of the prompts were in the backend's cache; left out where it does not say. */
  readonly cachedTokens?: number | undefined;
}

/** A stream of events in batches: all that came in one turn of the event loop. */
export type GenerateEvents = AsyncIterableIterator<GenerateEvent[]>;
