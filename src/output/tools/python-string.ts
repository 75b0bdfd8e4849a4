import { MarkerFinder } from '../marker-finder.ts';
import { BACKSLASH, NO_CHARACTER } from './characters.ts';
import type { CompletionReader, ReadGenerator } from './completion-reader.ts';
import type { ValueWriter } from './json-text.ts';

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['a', '\u0007'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['\n', ''],
]);

/** How many hexadecimal digits an escape has. */
const CODE_DIGITS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/** Reads a Python string, also one in three quotes, and gives its text as it comes: whether it came to its end. */
export function* readPythonString(reader: CompletionReader, writer: ValueWriter): ReadGenerator<boolean> {
  const quote = String.fromCharCode(yield* reader.peek());
  reader.skip();
  const isTripled = yield* reader.literal(quote + quote);
  reader.drop();
  const end = isTripled ? quote.repeat(3) : quote;
  const finder = new MarkerFinder([end, '\\']);
  for (;;) {
    const found = yield* reader.passUntil(finder, (text) => writer.push(text));
    if (found === end) {
      reader.drop();
      writer.end();
      return true;
    }
    const escaped = found === undefined ? undefined : yield* readEscape(reader);
    if (escaped === undefined) {
      writer.cut();
      return false;
    }
    reader.drop();
    writer.push(escaped);
  }
}

/** Reads an escape behind its backslash; an escape that Python does not have is returned as it is. */
function* readEscape(reader: CompletionReader): ReadGenerator<string | undefined> {
  const code = yield* reader.peek();
  if (code === NO_CHARACTER) return undefined;
  reader.skip();
  const letter = String.fromCharCode(code);
  const simple = SIMPLE_ESCAPES.get(letter);
  if (simple !== undefined) return simple;
  const digits = yield* readDigits(reader, CODE_DIGITS.get(letter) ?? 0);
  const point = digits === '' ? Number.NaN : Number.parseInt(digits, 16);
  const isPoint = digits.length === CODE_DIGITS.get(letter) && point <= 0x10ffff;
  return isPoint ? String.fromCodePoint(point) : String.fromCharCode(BACKSLASH) + letter + digits;
}

function* readDigits(reader: CompletionReader, count: number): ReadGenerator<string> {
  let digits = '';
  while (digits.length < count) {
    const code = yield* reader.peek();
    const character = String.fromCharCode(code);
    if (code === NO_CHARACTER || !/^[0-9a-fA-F]$/.test(character)) break;
    digits += character;
    reader.skip();
  }
  return digits;
}
