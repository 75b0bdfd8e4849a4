const simpleEscapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
  "'": 39,
  '"': 34,
  '?': 63,
};

const escape = /\\(?:([0-7]{1,3})|x([\da-fA-F]{1,2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([abfnrtv\\'"?]))/y;

/** The bytes of a quoted string, or the offset and the text of an error in it. */
export type UnquoteResult = { readonly bytes: Buffer } | { readonly at: number; readonly problem: string };

/** Resolves the escapes of a string without its quotes. The result is bytes: `\xc3\xa9` is one character. */
export function unquote(content: string): UnquoteResult {
  if (!content.includes('\\')) return { bytes: Buffer.from(content) };
  const parts: Buffer[] = [];
  for (let at = 0; at < content.length; ) {
    const next = content.indexOf('\\', at);
    parts.push(Buffer.from(next < 0 ? content.slice(at) : content.slice(at, next)));
    if (next < 0) break;
    const step = unescape(content, next);
    if ('problem' in step) return { at: next, problem: step.problem };
    parts.push(step.bytes);
    at = step.end;
  }
  return { bytes: Buffer.concat(parts) };
}

function unescape(content: string, at: number): { bytes: Buffer; end: number } | { problem: string } {
  escape.lastIndex = at;
  const match = escape.exec(content);
  if (match === null)
    return { problem: `\\${content[at + 1] ?? ''} is not a complete escape sequence: use \\\\ for a backslash` };
  const [written, octal, hex, short, long, simple] = match;
  const end = escape.lastIndex;
  if (simple !== undefined) return { bytes: Buffer.of(simpleEscapes[simple] ?? 0), end };
  if (hex !== undefined) return { bytes: Buffer.of(Number.parseInt(hex, 16)), end };
  if (octal !== undefined) {
    const byte = Number.parseInt(octal, 8);
    return byte > 255
      ? { problem: `${written} is more than one byte: the largest is \\377` }
      : { bytes: Buffer.of(byte), end };
  }
  return fromCodePoint(Number.parseInt(short ?? long ?? '', 16), { content, written, end });
}

interface CodePointEscape {
  readonly content: string;
  readonly written: string;
  readonly end: number;
}

/** Two consecutive halves of a surrogate pair are one character. */
function fromCodePoint(code: number, { content, written, end }: CodePointEscape): ReturnType<typeof unescape> {
  if (code >= 0xd800 && code < 0xdc00) {
    const low = /^\\u([dD][c-fC-F][\da-fA-F]{2})/.exec(content.slice(end, end + 6));
    if (low?.[1] !== undefined) {
      const pair = String.fromCharCode(code, Number.parseInt(low[1], 16));
      return { bytes: Buffer.from(pair), end: end + 6 };
    }
  }
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return { problem: `${written} is not a character` };
  return { bytes: Buffer.from(String.fromCodePoint(code)), end };
}

/** A string in double quotes, with control characters escaped; other characters outside ASCII stay. */
export function quote(text: string): string {
  return `"${text.replace(/["\\]|\p{Cc}/gu, escapeCharacter)}"`;
}

/** Bytes in double quotes, all but printable ASCII escaped. */
export function quoteBytes(bytes: Uint8Array): string {
  return `"${Buffer.from(bytes)
    .toString('latin1')
    .replace(/[^ -~]|["\\]/g, escapeByte)}"`;
}

const writtenEscapes: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '"': '\\"',
  '\\': '\\\\',
};

/** The control characters past ASCII take two bytes, and stay as they are. */
function escapeCharacter(character: string): string {
  return character.charCodeAt(0) < 128 ? escapeByte(character) : character;
}

function escapeByte(character: string): string {
  return writtenEscapes[character] ?? `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
}
