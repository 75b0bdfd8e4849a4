import { AnswerReader, type Reading } from './answer-reader.ts';
import { OPEN_BRACE } from './characters.ts';
import { DEEPSEEK, deepseekCalls } from './deepseek-calls.ts';
import { passCall } from './json-calls.ts';
import type { ToolFormat } from './tool-parser.ts';

const FENCE = '```';

/** Reads `function<｜tool▁sep｜>name`, the arguments in a block of JSON, and the end of the call. */
function* readCall(reader: AnswerReader): Reading<boolean> {
  if ((yield* reader.heldUntil([DEEPSEEK.separator])) === undefined) return false;
  const name = (yield* reader.heldUntil([FENCE]))?.text.trim();
  if (name === undefined || !reader.offered(name)) return false;
  yield* reader.literal('json');
  yield* reader.skipSpace();
  if ((yield* reader.peek()) !== OPEN_BRACE) return false;
  yield* passCall(reader, { name, ends: [`\n${FENCE}`, DEEPSEEK.callEnd] });
  yield* reader.skipSpace();
  if (yield* reader.literal(FENCE)) reader.drop();
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
