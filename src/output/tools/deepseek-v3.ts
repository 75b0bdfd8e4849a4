import { AnswerReader, type Reading } from './answer-reader.ts';
import { DEEPSEEK, DEEPSEEK_ENDS, deepseekCalls } from './deepseek-calls.ts';
import { readArguments } from './passed-call.ts';
import type { ToolFormat } from './tool-parser.ts';

const FENCE = '```';

/** Reads `function<｜tool▁sep｜>name`, the arguments in a block of JSON, and the end of the call. */
function* readCall(reader: AnswerReader): Reading<boolean> {
  if ((yield* reader.heldBefore(DEEPSEEK.separator, DEEPSEEK_ENDS)) === undefined) return false;
  const name = (yield* reader.heldBefore(FENCE, DEEPSEEK_ENDS))?.trim();
  if (name === undefined || !reader.offered(name)) return false;
  yield* reader.literal('json');
  const ends = [`\n${FENCE}`, ...DEEPSEEK_ENDS];
  if (!(yield* readArguments(reader, { name, ends, emptyEnd: FENCE }))) return false;
  yield* reader.skipSpace();
  if (yield* reader.literal(FENCE)) reader.drop();
  yield* reader.skipSpace();
  if (yield* reader.literal(DEEPSEEK.callEnd)) reader.drop();
  return true;
}

const grammar = deepseekCalls(readCall);

/** DeepSeek V3 and R1: a section of calls, each with its arguments in a fenced block of JSON. */
export const deepseekV3: ToolFormat = {
  name: 'deepseek_v3',
  aliases: ['deepseek_r1'],
  specialMarkers: Object.values(DEEPSEEK),
  fits: (template) => template.includes(DEEPSEEK.callsBegin) && template.includes(`${FENCE}json`),
  parser: (options) => new AnswerReader(options, grammar),
};
