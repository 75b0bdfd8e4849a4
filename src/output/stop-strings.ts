interface Matcher {
  readonly text: string;
  /** For each length of a match, the next shorter one to try: Knuth, Morris and Pratt's table. */
  readonly fallback: Int32Array;
  /** How much of the text the last characters fit. */
  length: number;
}

/**
 * Ends a text at the first stop text, wherever the pieces were cut: the one that is complete first wins. Only what
 * could still become a stop text is held back, and work grows with the text alone.
 */
export class StopStrings {
  readonly #matchers: readonly Matcher[];
  readonly #keepsStop: boolean;
  #held = '';
  #found: string | undefined;

  constructor(stops: readonly string[], { keepsStop = false }: { readonly keepsStop?: boolean } = {}) {
    this.#matchers = stops
      .filter((text) => text !== '')
      .map((text) => ({ text, fallback: fallbackTable(text), length: 0 }));
    this.#keepsStop = keepsStop;
  }

  /** The stop text that ended it. */
  get found(): string | undefined {
    return this.#found;
  }

  /** What is certain not to be a part of a stop text. */
  push(text: string): string {
    if (this.#found !== undefined) return '';
    if (this.#matchers.length === 0) return text;
    const all = this.#held + text;
    for (let at = this.#held.length; at < all.length; at++) {
      const match = this.#advance(all.charCodeAt(at));
      if (match === undefined) continue;
      this.#found = match.text;
      this.#held = '';
      return all.slice(0, this.#keepsStop ? at + 1 : at + 1 - match.text.length);
    }
    let held = 0;
    for (const { length } of this.#matchers) held = Math.max(held, length);
    this.#held = all.slice(all.length - held);
    return all.slice(0, all.length - held);
  }

  /** What was held back when no more text comes. */
  flush(): string {
    const held = this.#held;
    this.#held = '';
    for (const matcher of this.#matchers) matcher.length = 0;
    return held;
  }

  /** The longest stop text that is complete with this character. */
  #advance(code: number): Matcher | undefined {
    let best: Matcher | undefined;
    for (const matcher of this.#matchers) {
      let { length } = matcher;
      while (length > 0 && matcher.text.charCodeAt(length) !== code) length = matcher.fallback[length - 1] as number;
      if (matcher.text.charCodeAt(length) === code) length += 1;
      matcher.length = length;
      if (length === matcher.text.length && length > (best?.text.length ?? 0)) best = matcher;
    }
    return best;
  }
}

function fallbackTable(text: string): Int32Array {
  const table = new Int32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at++) {
    while (length > 0 && text.charCodeAt(at) !== text.charCodeAt(length)) length = table[length - 1] as number;
    if (text.charCodeAt(at) === text.charCodeAt(length)) length += 1;
    table[at] = length;
  }
  return table;
}
