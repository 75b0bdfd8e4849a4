/** Takes the text of a value as it comes. */
export interface ValueWriter {
  push(text: string): void;
  /** The text is complete. */
  end(): void;
  /** The response ended within the text: what is held is given as it is. */
  cut(): void;
}

/** Writes a JSON string as its text comes. */
export class JsonStringWriter implements ValueWriter {
  readonly #give: (json: string) => void;
  #hasStarted = false;
  /** The first half of a surrogate pair that was cut in two: without the other half it would be escaped. */
  #half = '';

  constructor(give: (json: string) => void) {
    this.#give = give;
  }

  push(text: string): void {
    const all = this.#half + text;
    const cut = isFirstHalf(all.charCodeAt(all.length - 1)) ? all.length - 1 : all.length;
    this.#half = all.slice(cut);
    this.#give((this.#hasStarted ? '' : '"') + JSON.stringify(all.slice(0, cut)).slice(1, -1));
    this.#hasStarted = true;
  }

  end(): void {
    this.#give((this.#hasStarted ? '' : '"') + JSON.stringify(this.#half).slice(1));
  }

  cut(): void {
    this.#give(this.#half);
  }
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
