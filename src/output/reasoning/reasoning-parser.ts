/** Where a parser puts what it finds, in the order of the text. */
export interface ReasoningSink {
  reasoning(text: string): void;
  /** The answer itself, which may still hold tool calls. */
  text(text: string): void;
}

/** Tells the reasoning of one answer from the answer itself, as the text comes. Work grows with the text alone. */
export interface ReasoningParser {
  push(text: string, sink: ReasoningSink): void;
  end(sink: ReasoningSink): void;
}

/** What is known of an answer before it comes. */
export interface ReasoningOptions {
  /** The end of the rendered prompt: where it has opened the reasoning already, the answer begins in it. */
  readonly prompt: string;
  /** The text that the answer goes on with, where it goes on with one; left out: it begins a new message. */
  readonly continued?: string | undefined;
}

/** How an answer that must have a form comes to it: the form begins where the reasoning has ended. */
export interface ReasoningTurn {
  /** What begins the reasoning; none: the prompt has begun it. */
  readonly opens: readonly string[];
  readonly ends: readonly string[];
  /** What the model writes between the reasoning and the answer itself. */
  readonly afterReasoning: string;
  /** What it writes before an answer without reasoning. */
  readonly withoutReasoning: string;
}

/** How the models of one family write their reasoning. */
export interface ReasoningFormat {
  /** The name under which vLLM's users know it. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Those of its markers that are special tokens: the backend must keep them in the text. */
  readonly specialMarkers: readonly string[];
  /** Those that are ordinary text in most of its models and special tokens in some: the vocabulary tells. */
  readonly otherMarkers?: readonly string[];
  /** Whether a chat template belongs to this family, by what it writes. */
  fits(template: string): boolean;
  parser(options: ReasoningOptions): ReasoningParser;
  /** Undefined where an answer to this prompt does not reason. */
  turn(options: ReasoningOptions): ReasoningTurn | undefined;
}
