/** A schema or grammar that is invalid, not supported, or too expensive for llama.cpp. */
export class GrammarError extends Error {
  /** The path in the schema, for example `.properties.a.pattern`. */
  readonly place: string;

  constructor(message: string, place = '') {
    super(message);
    this.place = place;
  }
}
