import { MarkerFinder } from '../marker-finder.ts';
import { isWordCharacter, NO_CHARACTER, OPEN_BRACE, OPEN_BRACKET } from './characters.ts';
import { CompletionReader, type ReadGenerator } from './completion-reader.ts';
import { readMarkedCalls } from './marked-json.ts';
import { giveCall, readArguments } from './passed-call.ts';
import type { OfferedTool, ToolFormat } from './tool-parser.ts';

const TOOL_CALLS = '[TOOL_CALLS]';
const CALL_ID = '[CALL_ID]';
const ARGS = '[ARGS]';

function* grammar(reader: CompletionReader): ReadGenerator<void> {
  const finder = new MarkerFinder([TOOL_CALLS]);
  while ((yield* reader.textUntil(finder)) !== undefined) {
    yield* reader.skipSpace();
    const code = yield* reader.peek();
    if (code === OPEN_BRACKET || code === OPEN_BRACE)
      yield* readMarkedCalls(reader, { ends: [TOOL_CALLS], closes: [] });
    else yield* readNamedCall(reader);
  }
}

/** Reads `name[ARGS]{…}`, with the id of the call before the arguments where the model gives one. */
function* readNamedCall(reader: CompletionReader): ReadGenerator<void> {
  const name = yield* reader.word(isWordCharacter);
  const tool = reader.offered(name);
  if (!tool) return;
  yield* reader.skipSpace();
  const hasId = yield* reader.literal(CALL_ID);
  const id = hasId ? yield* reader.word(isWordCharacter) : undefined;
  const hasArguments = yield* reader.literal(ARGS);
  if (hasId && !hasArguments) return;
  yield* reader.skipSpace();
  if (!hasArguments && (yield* reader.peek()) !== OPEN_BRACE) return;
  const call = { name, ends: [TOOL_CALLS], ...(id !== undefined && { id }) };
  if (yield* readArguments(reader, call)) return;
  // Nothing closes a call: at the end of the response the arguments may have been cut, but not where there are none.
  const hasEnded = (yield* reader.peek()) === NO_CHARACTER;
  if (hasEnded && takesNothing(tool)) giveCall(reader, { ...call, json: '{}' });
}

function takesNothing({ parameters }: OfferedTool): boolean {
  return Object.keys(parameters?.['properties'] ?? {}).length === 0;
}

/** Mistral: `[TOOL_CALLS][{"name": …, "arguments": {…}}, …]`, and since tokenizer v11 `[TOOL_CALLS]name[ARGS]{…}`. */
export const mistral: ToolFormat = {
  name: 'mistral',
  specialMarkers: [TOOL_CALLS, CALL_ID, ARGS],
  fits: (template) => template.includes(TOOL_CALLS) || template.includes('[AVAILABLE_TOOLS]'),
  parser: (options) => new CompletionReader(options, grammar),
  idStyle: 'mistral',
};
