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
  /** Whether the answer must have a form from its first token on: then it does not begin in reasoning. */
  readonly isGuided?: boolean;
}

/** How the models of one family write their reasoning. */
export interface ReasoningFormat {
  /** The name under which vLLM's users know it. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Those of its markers that are special tokens: the backend must keep them in the text. */
  readonly specialMarkers: readonly string[];
  /** Whether a chat template belongs to this family, by what it writes. */
  fits(template: string): boolean;
  parser(options: ReasoningOptions): ReasoningParser;
}
