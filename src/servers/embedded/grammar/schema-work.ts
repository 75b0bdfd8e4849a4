import { GrammarError } from './grammar-error.ts';

const mostSteps = 30_000;

/** Counts what turning a schema into a grammar costs: schemas can multiply their parts, and the event loop waits. */
export class SchemaWork {
  #steps = 0;

  add(steps: number): void {
    this.#steps += steps;
    if (this.#steps > mostSteps) throw new GrammarError('the schema is too large, or has too many alternatives');
  }
}
