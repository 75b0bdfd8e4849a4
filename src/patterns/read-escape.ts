import { type CharacterSet, characterSet, complement } from './character-set.ts';
import { PatternError } from './pattern.ts';

const digits = characterSet([[0x30, 0x39]]);
const words = characterSet([...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]);
const asciiSpaces = characterSet([
  [9, 13],
  [0x20, 0x20],
]);
const asciiLineEnds = characterSet([
  [10, 10],
  [13, 13],
]);

/** The sets of `\s` and of line ends, which `.` excludes. `\d` and `\w` are ASCII everywhere. */
export interface Dialect {
  readonly spaces: CharacterSet;
  readonly lineEnds: CharacterSet;
}

/** ASCII only: structured-output libraries differ beyond it. */
export const asciiDialect: Dialect = { spaces: asciiSpaces, lineEnds: asciiLineEnds };

/** The sets of JavaScript, which checks the responses. */
export const javaScriptDialect: Dialect = {
  spaces: characterSet([
    ...asciiSpaces,
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ]),
  lineEnds: characterSet([...asciiLineEnds, [0x2028, 0x2029]]),
};

function classOf(letter: string, { spaces }: Dialect): CharacterSet | undefined {
  const set = new Map([
    ['d', digits],
    ['s', spaces],
    ['w', words],
  ]).get(letter.toLowerCase());
  return set && letter !== letter.toLowerCase() ? complement(set) : set;
}

const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };
const hexadecimal = /x([\da-f]{2})|u([\da-f]{4})|[ux]\{([\da-f]{1,6})\}/iy;
const lowSurrogate = /\\u(d[c-f][\da-f]{2})/iy;

interface EscapeContext {
  readonly isInClass: boolean;
  readonly dialect: Dialect;
}

interface Escape {
  readonly value: number | CharacterSet;
  /** The position after it. */
  readonly end: number;
}

/** Reads the escape at a position of a pattern. */
export function readEscape(pattern: string, position: number, { isInClass, dialect }: EscapeContext): Escape {
  const letter = pattern[position + 1];
  if (letter === undefined) throw new PatternError('"\\" at the end of the pattern escapes nothing', position);
  const end = position + 2;
  const set = classOf(letter, dialect);
  if (set) return { value: set, end };
  const control = controls[letter];
  if (control !== undefined) return { value: control, end };
  if (isInClass && letter === 'b') return { value: 8, end };
  if (letter === 'x' || letter === 'u') return readHexadecimal(pattern, position, isInClass);
  if (letter === '0' && !/\d/.test(pattern[end] ?? '')) {
    checkCode(0, position, isInClass);
    return { value: 0, end };
  }
  if (/[a-z0-9]/i.test(letter)) throw new PatternError(`${featureOf(letter)} is not supported`, position);
  const code = pattern.codePointAt(position + 1) as number;
  return { value: code, end: position + 1 + String.fromCodePoint(code).length };
}

function readHexadecimal(pattern: string, position: number, isInClass: boolean): Escape {
  hexadecimal.lastIndex = position + 1;
  const match = hexadecimal.exec(pattern);
  if (!match) throw new PatternError(`"\\${pattern[position + 1]}" is not followed by a hexadecimal number`, position);
  let end = hexadecimal.lastIndex;
  let code = Number.parseInt(match[1] ?? match[2] ?? (match[3] as string), 16);
  if (code >= 0xd800 && code <= 0xdbff) {
    lowSurrogate.lastIndex = end;
    const low = lowSurrogate.exec(pattern)?.[1];
    if (low !== undefined) {
      code = 0x10000 + (code - 0xd800) * 0x400 + (Number.parseInt(low, 16) - 0xdc00);
      end = lowSurrogate.lastIndex;
    }
  }
  checkCode(code, position, isInClass);
  return { value: code, end };
}

/** Rejects invalid code points, and NUL, which ends a text in the libraries. A class is written without NUL. */
export function checkCode(code: number, position: number, isInClass: boolean): void {
  if (code === 0 && !isInClass) throw new PatternError('the NUL character is not supported', position);
  if (code > 0x10ffff) throw new PatternError('the escape is beyond the last code point, U+10FFFF', position);
  if (code >= 0xd800 && code <= 0xdfff) throw new PatternError('half of a surrogate pair is not a character', position);
}

function featureOf(letter: string): string {
  if (letter === 'b' || letter === 'B') return `the word boundary "\\${letter}"`;
  if (letter === 'p' || letter === 'P') return `the Unicode class "\\${letter}{…}"`;
  if (letter === 'k' || letter === 'g' || /[1-9]/.test(letter)) return `the back-reference "\\${letter}"`;
  return `the escape "\\${letter}"`;
}
