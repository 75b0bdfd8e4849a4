/** A schema or grammar that is invalid, not supported, or too expensive for llama.cpp. */
export class GrammarError extends Error {
  /** The path in the schema, for example `.properties.a.pattern`. */
  readonly location: string;

  constructor(message: string, location = '') {
    super(message);
    this.location = location;
  }
}
