const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** The depth of the members of `model`. */
const modelDepth = 2;
const large: ReadonlySet<string> = new Set(['vocab', 'merges']);

/**
 * Parses a tokenizer.json without its vocabulary and merges, whose members of `model` become null. They are nearly all
 * of the file: to skip them takes a sixth of the time of parsing them, and no memory.
 */
export function parseOutline(bytes: Uint8Array): unknown {
  const text = new TextDecoder();
  const parts: string[] = [];
  let copied = 0;
  let depth = 0;
  let key: string | undefined;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      const end = endOfString(bytes, at);
      if (depth === modelDepth) key ??= text.decode(bytes.subarray(at + 1, end));
      at = end;
    } else if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) {
      depth--;
      key = undefined;
    } else if (byte === comma) key = undefined;
    else if (byte === colon && depth === modelDepth && key !== undefined && large.has(key)) {
      parts.push(text.decode(bytes.subarray(copied, at + 1)), 'null');
      copied = endOfValue(bytes, at + 1);
      at = copied - 1;
    }
  }
  return JSON.parse(parts.join('') + text.decode(bytes.subarray(copied)));
}

/** Where the quote is that ends the string which begins here. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

/** The comma or bracket after the value that begins here. */
function endOfValue(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === openBrace || byte === openBracket) depth++;
    else if (depth === 0 && (byte === comma || byte === closeBrace || byte === closeBracket)) return at;
    else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  return bytes.length;
}
