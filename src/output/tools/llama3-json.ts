import { MarkerFinder } from '../marker-finder.ts';
import { AnswerReader, type Reading } from './answer-reader.ts';
import { isSpace, OPEN_BRACE } from './characters.ts';
import { readJsonCall } from './json-calls.ts';
import type { ToolFormat } from './tool-parser.ts';

const PYTHON_TAG = '<|python_tag|>';

/** The calls have no marker of their own: any object that begins like this and names an offered function is one. */
const CALL_BEGINS = ['"name"', '"type": "function"', '"type":"function"'];

function* grammar(reader: AnswerReader): Reading<void> {
  const finder = new MarkerFinder([PYTHON_TAG, '{']);
  for (;;) {
    const marker = yield* reader.textUntil(finder);
    if (marker === undefined) return;
    if (marker === PYTHON_TAG) yield* reader.skipSpace();
    else reader.putBack(marker.length);
    do {
      yield* reader.skipSpace();
      if (!(yield* beginsWithName(reader)) || (yield* readJsonCall(reader, [])) !== 'given') break;
      yield* reader.skipSpace();
    } while (yield* reader.literal(';'));
  }
}

/** Looks ahead: other objects are answers in JSON, and are not held back to their end. */
function* beginsWithName(reader: AnswerReader): Reading<boolean> {
  if ((yield* reader.peek()) !== OPEN_BRACE) return false;
  reader.skip();
  const space = yield* reader.word(isSpace);
  for (const begin of CALL_BEGINS) {
    if (!(yield* reader.literal(begin))) continue;
    reader.putBack(begin.length + space.length + 1);
    return true;
  }
  return false;
}

/** Llama 3.x: `{"name": …, "parameters": {…}}`, several separated by `;`, with or without `<|python_tag|>` before. */
export const llama3Json: ToolFormat = {
  name: 'llama3_json',
  aliases: ['llama3', 'llama4_json'],
  specialMarkers: [PYTHON_TAG],
  fits: (template) => template.includes(PYTHON_TAG) || template.includes('{"name": function name, "parameters"'),
  parser: (options) => new AnswerReader(options, grammar),
};
