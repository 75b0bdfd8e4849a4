import { AnswerReader, type Reading } from './answer-reader.ts';
import { DEEPSEEK, DEEPSEEK_ENDS, deepseekCalls } from './deepseek-calls.ts';
import { readArguments } from './passed-call.ts';
import type { ToolFormat } from './tool-parser.ts';

/** Reads `name<｜tool▁sep｜>{…}` and the end of the call. */
function* readCall(reader: AnswerReader): Reading<boolean> {
  const name = (yield* reader.heldBefore(DEEPSEEK.separator, DEEPSEEK_ENDS))?.trim();
  if (name === undefined || !reader.offered(name)) return false;
  if (!(yield* readArguments(reader, { name, ends: DEEPSEEK_ENDS }))) return false;
  yield* reader.skipSpace();
  if (yield* reader.literal(DEEPSEEK.callEnd)) reader.drop();
  return true;
}

const grammar = deepseekCalls(readCall);

/** DeepSeek V3.1: the section of V3, but name and bare JSON in each call. */
export const deepseekV31: ToolFormat = {
  name: 'deepseek_v31',
  specialMarkers: Object.values(DEEPSEEK),
  fits: (template) => template.includes(DEEPSEEK.callsBegin) && !template.includes('```json'),
  parser: (options) => new AnswerReader(options, grammar),
};
