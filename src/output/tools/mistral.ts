import { MarkerFinder } from '../marker-finder.ts';
import { AnswerReader, type Reading } from './answer-reader.ts';
import { isWordCharacter, OPEN_BRACE, OPEN_BRACKET } from './characters.ts';
import { passCall, readJsonCalls } from './json-calls.ts';
import type { ToolFormat } from './tool-parser.ts';

const TOOL_CALLS = '[TOOL_CALLS]';
const CALL_ID = '[CALL_ID]';
const ARGS = '[ARGS]';

function* grammar(reader: AnswerReader): Reading<void> {
  const finder = new MarkerFinder([TOOL_CALLS]);
  while ((yield* reader.textUntil(finder)) !== undefined) {
    yield* reader.skipSpace();
    const code = yield* reader.peek();
    if (code === OPEN_BRACKET || code === OPEN_BRACE) yield* readJsonCalls(reader, [TOOL_CALLS]);
    else yield* readNamedCall(reader);
  }
}

/** Reads `name[ARGS]{…}`, with the id of the call before the arguments where the model gives one. */
function* readNamedCall(reader: AnswerReader): Reading<void> {
  const name = yield* reader.word(isWordCharacter);
  if (!reader.offered(name)) return;
  yield* reader.skipSpace();
  const hasId = yield* reader.literal(CALL_ID);
  const id = hasId ? yield* reader.word(isWordCharacter) : undefined;
  const hasArguments = yield* reader.literal(ARGS);
  if (hasId && !hasArguments) return;
  yield* reader.skipSpace();
  if ((yield* reader.peek()) !== OPEN_BRACE) return;
  yield* passCall(reader, { name, ends: [TOOL_CALLS], ...(id !== undefined && { id }) });
}

/** Mistral: `[TOOL_CALLS][{"name": …, "arguments": {…}}, …]`, and since tokenizer v11 `[TOOL_CALLS]name[ARGS]{…}`. */
export const mistral: ToolFormat = {
  name: 'mistral',
  specialMarkers: [TOOL_CALLS, CALL_ID, ARGS],
  fits: (template) => template.includes(TOOL_CALLS) || template.includes('[AVAILABLE_TOOLS]'),
  parser: (options) => new AnswerReader(options, grammar),
  idStyle: 'mistral',
};
