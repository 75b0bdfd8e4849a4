/** Receives what a parser finds, in the order of the text. */
export interface ReasoningSink {
  reasoning(text: string): void;
  /** The response itself, which may still contain tool calls. */
  text(text: string): void;
}

/** Separates the reasoning of one completion from the response, as the text comes. The time is linear in its length. */
export interface ReasoningParser {
  push(text: string, sink: ReasoningSink): void;
  end(sink: ReasoningSink): void;
}

/** What is known of a completion before it comes. */
export interface ReasoningOptions {
  /** The end of the rendered prompt: where it opens the reasoning, the completion begins in it. */
  readonly prompt: string;
  /** The text that the completion continues; left out: it begins a new message. */
  readonly continued?: string | undefined;
}

/** The turn from reasoning to a structured output, which begins where the reasoning has ended. */
export interface ReasoningTurn {
  /** What begins the reasoning; empty: the prompt has begun it. */
  readonly opens: readonly string[];
  readonly ends: readonly string[];
  /** What the model writes between the reasoning and the response. */
  readonly afterReasoning: string;
  /** What it writes before a response without reasoning. */
  readonly withoutReasoning: string;
}

/** How the models of one family write their reasoning. */
export interface ReasoningFormat {
  /** The name under which vLLM's users know it. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Those of its markers that are special tokens: the backend must keep them in the text. */
  readonly specialMarkers: readonly string[];
  /** Markers that are ordinary text in most of its models and special tokens in some: the vocabulary decides. */
  readonly otherMarkers?: readonly string[];
  /** Whether a chat template belongs to this family, by what it writes. */
  fits(template: string): boolean;
  parser(options: ReasoningOptions): ReasoningParser;
  /** Undefined where the completion of this prompt has no reasoning. */
  turn(options: ReasoningOptions): ReasoningTurn | undefined;
}
