import { MarkerFinder } from '../marker-finder.ts';
import { OPEN_BRACE, OPEN_BRACKET } from './characters.ts';
import { CompletionReader, type ReadGenerator } from './completion-reader.ts';
import { readJsonCalls } from './json-calls.ts';
import { passCall } from './passed-call.ts';
import type { ToolParser, ToolParserOptions } from './tool-parser.ts';

const NO_MARKERS: readonly string[] = [];

/** For `tool_choice: required`: guided decoding makes the response a list `[{"name": …, "parameters": {…}}, …]`. */
export function requiredCallsParser(options: ToolParserOptions): ToolParser {
  return new CompletionReader(options, function* (reader) {
    yield* reader.skipSpace();
    yield* readList(reader);
    yield* reader.textUntil(new MarkerFinder(NO_MARKERS));
  });
}

/** For guided decoding of either a list of calls or a JSON object, which is text. */
export function callsOrTextParser(options: ToolParserOptions): ToolParser {
  return new CompletionReader(options, function* (reader) {
    yield* reader.skipSpace();
    if ((yield* reader.peek()) === OPEN_BRACKET) yield* readList(reader);
    yield* reader.textUntil(new MarkerFinder(NO_MARKERS));
  });
}

function* readList(reader: CompletionReader): ReadGenerator<void> {
  yield* readJsonCalls(reader, { ends: NO_MARKERS });
  if (reader.isOver) giveCutCall(reader);
}

/** The list up to a call whose name comes first, as the guide has it; the key may be cut too. */
const cutCall = /^[[,\s]*(?:\{\s*(?:"(?:n(?:a(?:m(?:e(?:"[^]*)?)?)?)?)?)?)?$/;
const cutName = /^[[,\s]*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")/;

/**
 * A call that the end of the text has cut before its arguments: markup, not text. The call is given without arguments
 * where its function is known.
 */
function giveCutCall(reader: CompletionReader): void {
  let held = '';
  reader.giveHeld((text) => {
    held = text;
  });
  if (!cutCall.test(held)) return reader.giveText(held);
  const name = nameIn(cutName.exec(held)?.[1]);
  if (name === undefined || !reader.offered(name)) return;
  reader.beginCall(name);
  reader.endCall();
}

function nameIn(json: string | undefined): string | undefined {
  try {
    return json === undefined ? undefined : (JSON.parse(json) as string);
  } catch {
    return undefined;
  }
}

/** For one named function: guided decoding makes the response the arguments themselves. */
export function namedCallParser(name: string, options: ToolParserOptions): ToolParser {
  return new CompletionReader(options, function* (reader) {
    yield* reader.skipSpace();
    if ((yield* reader.peek()) === OPEN_BRACE) yield* passCall(reader, { name, ends: NO_MARKERS });
    yield* reader.textUntil(new MarkerFinder(NO_MARKERS));
  });
}
