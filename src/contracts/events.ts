import type { FinishReason, TokenLogprob } from './contract.ts';

/** What happens in a generation, in order: any number of deltas and one finish for each choice, then the usage. */
export type GenerateEvent =
  | TextDelta
  | { readonly type: 'reasoning-delta'; readonly choice: number; readonly text: string }
  | ToolCallDelta
  | Finish
  | { readonly type: 'prompt-tokens'; readonly count: number }
  | PromptIds
  | PromptLogprobs
  | TokenIds
  | ({ readonly type: 'usage' } & TokenUsage);

/** The token ids of the prompt of a choice, if the request asks for them. */
interface PromptIds {
  readonly type: 'prompt-ids';
  readonly choice: number;
  readonly ids: ArrayLike<number>;
}

/** The logprobs of the prompt of a choice, if the request asks for them. */
interface PromptLogprobs {
  readonly type: 'prompt-logprobs';
  readonly choice: number;
  readonly tokens: readonly RankedTokens[];
}

/** A token of a prompt, then the likeliest tokens in its position; null for the first token, which has no logprob. */
export type RankedTokens = readonly RankedToken[] | null;

export interface RankedToken {
  readonly id: number;
  readonly text: string;
  readonly logprob: number;
  /** 1 for the likeliest token. */
  readonly rank: number;
}

/** New tokens of a choice, if the request asks for their ids; the delta with their text follows. */
interface TokenIds {
  readonly type: 'token-ids';
  readonly choice: number;
  readonly ids: readonly number[];
}

/** The end of a choice. */
interface Finish {
  readonly type: 'finish';
  readonly choice: number;
  readonly reason: FinishReason | 'tool_calls';
  /** The stop sequence that ended it, where that is known. */
  readonly stopText?: string;
}

export interface TextDelta {
  readonly type: 'text-delta';
  readonly choice: number;
  /** Empty where its tokens are a part of something else: of a character, of reasoning, of a call. */
  readonly text: string;
  /** The number of tokens of the text. */
  readonly tokens: number;
  readonly logprobs: readonly TokenLogprob[] | undefined;
}

/** A part of a call: the first has its id and name, the others parts of the arguments' JSON. */
export interface ToolCallDelta {
  readonly type: 'tool-call-delta';
  readonly choice: number;
  /** The number of the call within the response. */
  readonly index: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments: string;
}

/** The token counts of a whole request. */
export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** How many tokens of the prompts were in the backend's cache; left out where it does not say. */
  readonly cachedTokens?: number | undefined;
  /** How many tokens of the responses were reasoning; left out where there were none. */
  readonly reasoningTokens?: number | undefined;
  /** Tokens of speculative decoding, and how many of them were accepted; left out where there were none. */
  readonly draftTokens?: number | undefined;
  readonly acceptedTokens?: number | undefined;
}

/** An event that is no text of a choice. */
export type OtherEvent = Exclude<GenerateEvent, TextDelta>;

/** Takes the events of a generation. A text delta comes without an object: there is one for almost every token. */
export interface EventFold {
  /** The members of a TextDelta. */
  text(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void;
  event(event: OtherEvent): void;
}

/** Receives the events of a generation, synchronously, as responses are read. It ends once: with `end` or `fail`. */
export interface EventSink extends EventFold {
  end(): void;
  fail(error: unknown): void;
}

/** A generation that was started. All calls are allowed at any time; after the end they do nothing. */
export interface RunningGeneration {
  /** Makes the backend wait. What it has sent already still arrives. */
  pause(): void;
  resume(): void;
  /** Ends it. The sink is not called any more. */
  cancel(): void;
}

/** A generation that has not started. */
export interface Generation {
  /** Starts it; called once. The sink is not called before this returns. */
  start(sink: EventSink): RunningGeneration;
}

/** Passes an event of any kind to a fold. */
export function giveEvent(event: GenerateEvent, fold: EventFold): void {
  if (event.type === 'text-delta') fold.text(event.choice, event.text, event.tokens, event.logprobs);
  else fold.event(event);
}

/** Gives events to a sink where no caller can catch; a sink that throws fails with its own error. */
export function giveSafely(sink: EventSink, give: (sink: EventSink) => void): void {
  try {
    give(sink);
  } catch (error) {
    sink.fail(error);
  }
}
