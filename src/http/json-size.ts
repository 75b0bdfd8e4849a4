const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** Limits of a JSON text. */
export interface JsonBounds {
  /** Maximum nesting depth of lists and objects. */
  readonly depth: number;
  /** Maximum number of values: entries, and the lists and objects themselves. */
  readonly values: number;
}

/** The limit that a JSON text exceeds, found without parsing it; strings are skipped. */
export function exceededBound(
  json: string,
  { depth: deepest, values: most }: JsonBounds,
): keyof JsonBounds | undefined {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      at = endOfText(json, at);
      if (at < 0) return undefined;
    } else if (code === comma) {
      if (++values > most) return 'values';
    } else if (code === openingBracket || code === openingBrace) {
      if (++depth > deepest) return 'depth';
      if (++values > most) return 'values';
    } else if (code === closingBracket || code === closingBrace) depth--;
  }
  return undefined;
}

/** The end of the string that starts at `from`; -1 if it does not end. */
export function endOfText(json: string, from: number): number {
  for (let at = from; ; ) {
    at = json.indexOf('"', at + 1);
    if (at < 0) return -1;
    let slashes = 0;
    while (json.charCodeAt(at - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return at;
  }
}
