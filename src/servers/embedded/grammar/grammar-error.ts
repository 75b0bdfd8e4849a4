/** What a grammar cannot express, or what would take llama.cpp too long. */
export class GrammarError extends Error {
  /** Where it stands in a schema: `.properties.a.pattern`. */
  readonly place: string;

  constructor(message: string, place = '') {
    super(message);
    this.place = place;
  }
}
