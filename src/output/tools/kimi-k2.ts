import { AnswerReader, type Reading } from './answer-reader.ts';
import { OPEN_BRACE } from './characters.ts';
import { passCall } from './json-calls.ts';
import { sectionedCalls } from './sectioned-calls.ts';
import type { ToolFormat } from './tool-parser.ts';

const SECTION_BEGIN = '<|tool_calls_section_begin|>';
const SECTION_END = '<|tool_calls_section_end|>';
const CALL_BEGIN = '<|tool_call_begin|>';
const ARGUMENT_BEGIN = '<|tool_call_argument_begin|>';
const CALL_END = '<|tool_call_end|>';

/** Reads `functions.name:0<|tool_call_argument_begin|>{…}` and the end of the call. */
function* readCall(reader: AnswerReader): Reading<boolean> {
  const id = (yield* reader.heldUntil([ARGUMENT_BEGIN]))?.text.trim();
  if (id === undefined) return false;
  const name = id.replace(/^functions\./, '').replace(/:\d+$/, '');
  if (!reader.offered(name)) return false;
  yield* reader.skipSpace();
  if ((yield* reader.peek()) !== OPEN_BRACE) return false;
  yield* passCall(reader, { name, id, ends: [CALL_END] });
  yield* reader.skipSpace();
  if (yield* reader.literal(CALL_END)) reader.drop();
  return true;
}

const grammar = sectionedCalls({ open: SECTION_BEGIN, close: SECTION_END, callOpen: CALL_BEGIN, readCall });

/** Kimi K2: a section of calls whose ids the model counts itself, and wants to see again in the history. */
export const kimiK2: ToolFormat = {
  name: 'kimi_k2',
  specialMarkers: [SECTION_BEGIN, SECTION_END, CALL_BEGIN, ARGUMENT_BEGIN, CALL_END],
  fits: (template) => template.includes('<|im_middle|>') && template.includes('tool_declare'),
  parser: (options) => new AnswerReader(options, grammar),
};
