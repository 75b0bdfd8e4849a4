interface Matcher {
  readonly text: string;
  /** For each length of a match, the next shorter one to try: Knuth, Morris and Pratt's table. */
  readonly fallback: Int32Array;
  /** How much of the marker the last characters fit. */
  length: number;
}

/**
 * Finds the first of several markers in a text that comes in pieces: the one that is complete first, and of two that
 * end together the longer. It looks at each character once and keeps no text, only how much of a marker it has seen.
 */
export class MarkerFinder {
  readonly #matchers: readonly Matcher[];
  #found: string | undefined;

  constructor(markers: readonly string[]) {
    this.#matchers = markers.map((text) => ({ text, fallback: fallbackTable(text), length: 0 }));
  }

  /** The marker that the last search ended with. */
  get found(): string | undefined {
    return this.#found;
  }

  /** How many of the last characters could still become a marker. */
  get partial(): number {
    let longest = 0;
    for (const { length } of this.#matchers) longest = Math.max(longest, length);
    return longest;
  }

  /** Forgets what came before. */
  reset(): void {
    this.#found = undefined;
    for (const matcher of this.#matchers) matcher.length = 0;
  }

  /** Looks on from `from` up to `to`, and says where it stopped: behind a marker, or at `to`. */
  find(text: string, from: number, to: number): number {
    this.#found = undefined;
    for (let at = from; at < to; at++) {
      if (!this.#advance(text.charCodeAt(at))) continue;
      for (const matcher of this.#matchers) matcher.length = 0;
      return at + 1;
    }
    return to;
  }

  /** Looks on to the end of a text, and disregards the markers that end in it: one may still begin there. */
  skip(text: string): void {
    this.#found = undefined;
    for (let at = 0; at < text.length; at++) this.#advance(text.charCodeAt(at));
    this.#found = undefined;
    for (const matcher of this.#matchers)
      if (matcher.length === matcher.text.length) matcher.length = matcher.fallback[matcher.length - 1] as number;
  }

  /** Whether this character completes a marker. */
  #advance(code: number): boolean {
    let best = '';
    for (const matcher of this.#matchers) {
      let { length } = matcher;
      while (length > 0 && matcher.text.charCodeAt(length) !== code) length = matcher.fallback[length - 1] as number;
      if (matcher.text.charCodeAt(length) === code) length += 1;
      matcher.length = length;
      if (length === matcher.text.length && length > best.length) best = matcher.text;
    }
    if (best === '') return false;
    this.#found = best;
    return true;
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
