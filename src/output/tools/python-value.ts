import {
  APOSTROPHE,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PARENTHESIS,
  isWordCharacter,
  NO_CHARACTER,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PARENTHESIS,
  QUOTE,
} from './characters.ts';
import type { CompletionReader, ReadGenerator } from './completion-reader.ts';
import { JsonStringWriter, type ValueWriter } from './json-text.ts';
import { readPythonString } from './python-string.ts';

const CLOSING: ReadonlyMap<number, number> = new Map([
  [OPEN_BRACE, CLOSE_BRACE],
  [OPEN_BRACKET, CLOSE_BRACKET],
  [OPEN_PARENTHESIS, CLOSE_PARENTHESIS],
]);

const WORDS: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
]);

/** A list, a tuple or a dictionary that is being written. */
interface Level {
  readonly closing: number;
  readonly isDictionary: boolean;
  isEmpty: boolean;
}

/**
 * Reads a Python literal and gives it as JSON as it comes: whether it was one. A string that is the whole value goes to
 * `text`, which knows the expected type. The levels are a list and no recursion, so that depth costs nothing.
 */
export function* readPythonValue(reader: CompletionReader, text: ValueWriter): ReadGenerator<boolean> {
  const levels: Level[] = [];
  const give = reader.giveArguments;
  do {
    yield* reader.skipSpace();
    const level = levels.at(-1);
    const code = yield* reader.peek();
    if (level && code === level.closing) {
      closeLevel(reader, levels);
    } else {
      if (level && !level.isEmpty) give(', ');
      if (level) level.isEmpty = false;
      if (level?.isDictionary && !(yield* readKey(reader))) return false;
      if (!(yield* readSimple(reader, levels, level ? new JsonStringWriter(give) : text))) return false;
    }
    if (!(yield* closeCompleted(reader, levels))) return false;
  } while (levels.length > 0);
  return true;
}

/** Reads what follows a value: a comma, or the ends of the levels that end with it. */
function* closeCompleted(reader: CompletionReader, levels: Level[]): ReadGenerator<boolean> {
  for (;;) {
    const level = levels.at(-1);
    if (!level || level.isEmpty) return true;
    yield* reader.skipSpace();
    if (yield* reader.literal(',')) {
      reader.drop();
      return true;
    }
    if ((yield* reader.peek()) !== level.closing) return false;
    closeLevel(reader, levels);
  }
}

function closeLevel(reader: CompletionReader, levels: Level[]): void {
  reader.skip();
  reader.drop();
  reader.giveArguments(levels.pop()?.isDictionary ? '}' : ']');
}

/** Reads a string, a number or a word, or opens a level. */
function* readSimple(reader: CompletionReader, levels: Level[], text: ValueWriter): ReadGenerator<boolean> {
  const code = yield* reader.peek();
  const closing = CLOSING.get(code);
  if (closing !== undefined) {
    reader.skip();
    reader.drop();
    const isDictionary = code === OPEN_BRACE;
    levels.push({ closing, isDictionary, isEmpty: true });
    reader.giveArguments(isDictionary ? '{' : '[');
    return true;
  }
  if (code === QUOTE || code === APOSTROPHE) return yield* readPythonString(reader, text);
  const json = yield* readWord(reader);
  if (json === undefined) return false;
  reader.drop();
  reader.giveArguments(json);
  return true;
}

/** Reads a number or a word that Python knows: its JSON. At the end of the response it may have been cut. */
function* readWord(reader: CompletionReader): ReadGenerator<string | undefined> {
  const word = yield* reader.word(isWordCharacter);
  if ((yield* reader.peek()) === NO_CHARACTER) return undefined;
  return WORDS.get(word) ?? jsonNumber(word);
}

/** Reads a key of a dictionary with its colon; JSON knows strings only. */
function* readKey(reader: CompletionReader): ReadGenerator<boolean> {
  const give = reader.giveArguments;
  const code = yield* reader.peek();
  if (code === QUOTE || code === APOSTROPHE) {
    if (!(yield* readPythonString(reader, new JsonStringWriter(give)))) return false;
  } else {
    const json = yield* readWord(reader);
    if (json === undefined) return false;
    reader.drop();
    give(`"${json}"`);
  }
  yield* reader.skipSpace();
  if (!(yield* reader.literal(':'))) return false;
  yield* reader.skipSpace();
  reader.drop();
  give(': ');
  return true;
}

/** The JSON of a number that Python writes more freely: `1_000`, `.5`, `2.`, `+3`. */
function jsonNumber(word: string): string | undefined {
  const [mantissa = '', exponent, ...more] = word.replaceAll('_', '').toLowerCase().split('e');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction, ...points] = mantissa.replace(/^[+-]/, '').split('.');
  const isNumber = /^\d*$/.test(whole) && /^\d*$/.test(fraction ?? '') && whole + (fraction ?? '') !== '';
  if (!isNumber || more.length > 0 || points.length > 0) return undefined;
  if (exponent !== undefined && !/^[+-]?\d+$/.test(exponent)) return undefined;
  const integer = whole.replace(/^0+(?=\d)/, '') || '0';
  const rest = fraction === undefined ? '' : `.${fraction || '0'}`;
  return sign + integer + rest + (exponent === undefined ? '' : `e${exponent}`);
}
