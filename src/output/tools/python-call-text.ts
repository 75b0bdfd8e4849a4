import { MarkerFinder } from '../marker-finder.ts';
import type { AnswerReader, Reading } from './answer-reader.ts';
import { isWordCharacter, NO_CHARACTER } from './characters.ts';

const OPENING = ['(', '[', '{'];
const CLOSING = [')', ']', '}'];

/**
 * Gives a call of a function that was not offered as text, behind its opening parenthesis: whether it came to its end.
 * Only what has named arguments, or none, is one; other text may have parentheses that never close.
 */
export function* passUnknownCall(reader: AnswerReader): Reading<boolean> {
  yield* reader.skipSpace();
  if (yield* reader.literal(')')) {
    reader.giveHeld();
    return true;
  }
  const parameter = yield* reader.word(isWordCharacter);
  yield* reader.skipSpace();
  if (parameter === '' || !(yield* reader.literal('='))) return false;
  reader.giveHeld();
  const finder = new MarkerFinder([...OPENING, ...CLOSING, '"', "'"]);
  for (let depth = 1; depth > 0; ) {
    const found = yield* reader.passUntil(finder, reader.giveText);
    if (found === undefined) return false;
    if (OPENING.includes(found)) depth++;
    else if (CLOSING.includes(found)) depth--;
    else if (!(yield* passString(reader, found))) return false;
  }
  reader.giveHeld();
  return true;
}

/** Gives a string behind its opening quote; one in three quotes is one between two empty ones. */
function* passString(reader: AnswerReader, quote: string): Reading<boolean> {
  const finder = new MarkerFinder([quote, '\\']);
  for (;;) {
    const found = yield* reader.passUntil(finder, reader.giveText);
    if (found === quote) return true;
    if (found === undefined || (yield* reader.peek()) === NO_CHARACTER) return false;
    reader.skip();
  }
}
