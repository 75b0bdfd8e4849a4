import { MarkerFinder } from '../marker-finder.ts';
import { argumentValue } from './argument-value.ts';
import { isWordCharacter, NO_CHARACTER } from './characters.ts';
import type { CompletionGrammar, CompletionReader, ReadGenerator } from './completion-reader.ts';
import { passBrokenCall } from './passed-call.ts';
import { readPythonValue } from './python-value.ts';
import type { OfferedTool } from './tool-parser.ts';

interface PythonicCalls {
  /** What a family may write around the list. */
  readonly open?: string;
  readonly close?: string;
}

/** A response with calls written as a Python list: `[first(a=1), second(b="x")]`. */
export function pythonicCalls({ open, close }: PythonicCalls = {}): CompletionGrammar {
  const markers = open === undefined ? ['['] : [open, '['];
  const ends = close === undefined ? [] : [close];
  return function* (reader) {
    const finder = new MarkerFinder(markers);
    for (;;) {
      const marker = yield* reader.textUntil(finder);
      if (marker === undefined) return;
      if (marker === open) {
        yield* reader.skipSpace();
        if (!(yield* reader.literal('['))) continue;
      }
      if (!(yield* readList(reader, ends))) continue;
      yield* reader.skipSpace();
      if (close !== undefined && (yield* reader.literal(close))) reader.drop();
    }
  };
}

/** Reads the calls of a list and its end: whether a call is its last item. Calls of other functions are text. */
function* readList(reader: CompletionReader, ends: readonly string[]): ReadGenerator<boolean> {
  let isCall = false;
  do {
    yield* reader.skipSpace();
    // A comma may follow the last call.
    if (isCall && (yield* reader.literal(']'))) {
      reader.drop();
      return true;
    }
    const name = yield* reader.word(isWordCharacter);
    if (name === '' || !(yield* reader.literal('('))) return false;
    const tool = reader.offered(name);
    if (!(yield* tool ? readCall(reader, tool, ends) : passUnknownCall(reader))) return false;
    isCall = tool !== undefined;
    yield* reader.skipSpace();
  } while (yield* reader.literal(','));
  if ((yield* reader.literal(']')) && isCall) reader.drop();
  return isCall;
}

/** Reads the arguments of a call and its end: whether it is a call, which is known with its first argument. */
function* readCall(reader: CompletionReader, tool: OfferedTool, ends: readonly string[]): ReadGenerator<boolean> {
  let separator = '{';
  do {
    yield* reader.skipSpace();
    const parameter = yield* reader.word(isWordCharacter);
    if (parameter === '') break;
    yield* reader.skipSpace();
    const isFirst = separator === '{';
    const isNamed = yield* reader.literal('=');
    if (!isNamed && isFirst) return false;
    if (!isNamed) return yield* endBroken(reader, ends);
    if (isFirst) reader.beginCall(tool.name);
    reader.drop();
    reader.giveArguments(`${separator}${JSON.stringify(parameter)}: `);
    separator = ', ';
    const text = argumentValue(reader, { tool, parameter, isQuoted: true });
    if (!(yield* readPythonValue(reader, text))) return yield* endBroken(reader, ends);
    yield* reader.skipSpace();
  } while (yield* reader.literal(','));
  const isFirst = separator === '{';
  if (!(yield* reader.literal(')'))) return isFirst ? false : yield* endBroken(reader, ends);
  if (isFirst) reader.beginCall(tool.name);
  reader.drop();
  reader.giveArguments(isFirst ? '{}' : '}');
  reader.endCall();
  return true;
}

function* endBroken(reader: CompletionReader, ends: readonly string[]): ReadGenerator<boolean> {
  const end = yield* passBrokenCall(reader, ends);
  if (end !== undefined) reader.putBack(end.length);
  return true;
}

const OPENING = ['(', '[', '{'];
const CLOSING = [')', ']', '}'];

/**
 * Gives a call of a function that was not offered as text, behind its opening parenthesis: whether it came to its end.
 * Only what has named arguments, or none, is one; other text may have parentheses that never close.
 */
function* passUnknownCall(reader: CompletionReader): ReadGenerator<boolean> {
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
function* passString(reader: CompletionReader, quote: string): ReadGenerator<boolean> {
  const finder = new MarkerFinder([quote, '\\']);
  for (;;) {
    const found = yield* reader.passUntil(finder, reader.giveText);
    if (found === quote) return true;
    if (found === undefined || (yield* reader.peek()) === NO_CHARACTER) return false;
    reader.skip();
  }
}
