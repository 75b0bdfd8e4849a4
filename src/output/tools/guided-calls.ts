import { MarkerFinder } from '../marker-finder.ts';
import { AnswerReader } from './answer-reader.ts';
import { OPEN_BRACE } from './characters.ts';
import { readJsonCalls } from './json-calls.ts';
import { passCall } from './passed-call.ts';
import type { ToolParser, ToolParserOptions } from './tool-parser.ts';

const NO_MARKERS: readonly string[] = [];

/** For `tool_choice: required`: guided decoding makes the answer a list `[{"name": …, "parameters": {…}}, …]`. */
export function requiredCallsParser(options: ToolParserOptions): ToolParser {
  return new AnswerReader(options, function* (reader) {
    yield* reader.skipSpace();
    yield* readJsonCalls(reader, { ends: NO_MARKERS });
    yield* reader.textUntil(new MarkerFinder(NO_MARKERS));
  });
}

/** For one named function: guided decoding makes the answer the arguments themselves. */
export function namedCallParser(name: string, options: ToolParserOptions): ToolParser {
  return new AnswerReader(options, function* (reader) {
    yield* reader.skipSpace();
    if ((yield* reader.peek()) === OPEN_BRACE) yield* passCall(reader, { name, ends: NO_MARKERS });
    yield* reader.textUntil(new MarkerFinder(NO_MARKERS));
  });
}
