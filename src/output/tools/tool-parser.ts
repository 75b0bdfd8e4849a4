/** A function that the request offers to the model. */
export interface OfferedTool {
  readonly name: string;
  /** The JSON schema of its arguments; undefined: it takes none. */
  readonly parameters: Readonly<Record<string, unknown>> | undefined;
}

/** Receives what a parser finds, in the order of the text. */
export interface ToolCallSink {
  /** Text beside calls, and calls that are invalid: malformed, or of a function that was not offered. */
  text(text: string): void;
  /** A call begins: its function is known and was offered. `id` only where the model itself gives one. */
  beginCall(name: string, id?: string): void;
  /** The next part of the arguments of the call that began last; all parts together are the JSON text of an object. */
  callArguments(fragment: string): void;
  /** The call is complete. */
  endCall(): void;
}

/** Reads the text of one response as it comes. The time is linear in its length, however it is cut. */
export interface ToolParser {
  push(text: string, sink: ToolCallSink): void;
  /** No more text comes: what is held back is given as the call, or as the text, that it is. */
  end(sink: ToolCallSink): void;
}

export interface ToolParserOptions {
  readonly tools: readonly OfferedTool[];
  /** The most characters that are held back before they are given as text; arguments that were sent do not count. */
  readonly mostHeld: number;
}

/** How the models of one family write their calls. */
export interface ToolFormat {
  /** The name under which vLLM's users know it. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Those of its markers that are special tokens: the backend must keep them in the text. */
  readonly specialMarkers: readonly string[];
  /** Markers that are ordinary text in most of its models and special tokens in some: the vocabulary decides. */
  readonly otherMarkers?: readonly string[];
  /** Whether a chat template belongs to this family, by what it writes. */
  fits(template: string): boolean;
  parser(options: ToolParserOptions): ToolParser;
  /** What an id of a call looks like; OpenAI's where left out. */
  readonly idStyle?: 'mistral';
}
