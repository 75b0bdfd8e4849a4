import { type CompletionGrammar, CompletionReader, type ReadGenerator } from './completion-reader.ts';
import { readArguments } from './passed-call.ts';
import { sectionedCalls } from './sectioned-calls.ts';
import type { ToolFormat } from './tool-parser.ts';

/** The special tokens around the calls of DeepSeek's models. */
const DEEPSEEK = {
  callsBegin: '<｜tool▁calls▁begin｜>',
  callsEnd: '<｜tool▁calls▁end｜>',
  callBegin: '<｜tool▁call▁begin｜>',
  callEnd: '<｜tool▁call▁end｜>',
  separator: '<｜tool▁sep｜>',
} as const;

/** What ends a call, also one that lacks its own end. */
const DEEPSEEK_ENDS: readonly string[] = [DEEPSEEK.callEnd, DEEPSEEK.callBegin, DEEPSEEK.callsEnd];

/** A section of calls, which the versions write differently. */
function deepseekCalls(readCall: (reader: CompletionReader) => ReadGenerator<boolean>): CompletionGrammar {
  return sectionedCalls({
    open: DEEPSEEK.callsBegin,
    close: DEEPSEEK.callsEnd,
    callOpen: DEEPSEEK.callBegin,
    readCall,
  });
}

const FENCE = '```';

/** Reads `function<｜tool▁sep｜>name`, the arguments in a block of JSON, and the end of the call. */
function* readV3Call(reader: CompletionReader): ReadGenerator<boolean> {
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

const v3Grammar = deepseekCalls(readV3Call);

/** DeepSeek V3 and R1: a section of calls, each with its arguments in a fenced block of JSON. */
export const deepseekV3: ToolFormat = {
  name: 'deepseek_v3',
  aliases: ['deepseek_r1'],
  specialMarkers: Object.values(DEEPSEEK),
  fits: (template) => template.includes(DEEPSEEK.callsBegin) && template.includes(`${FENCE}json`),
  parser: (options) => new CompletionReader(options, v3Grammar),
};

/** Reads `name<｜tool▁sep｜>{…}` and the end of the call. */
function* readV31Call(reader: CompletionReader): ReadGenerator<boolean> {
  const name = (yield* reader.heldBefore(DEEPSEEK.separator, DEEPSEEK_ENDS))?.trim();
  if (name === undefined || !reader.offered(name)) return false;
  if (!(yield* readArguments(reader, { name, ends: DEEPSEEK_ENDS }))) return false;
  yield* reader.skipSpace();
  if (yield* reader.literal(DEEPSEEK.callEnd)) reader.drop();
  return true;
}

const v31Grammar = deepseekCalls(readV31Call);

/** DeepSeek V3.1: the section of V3, but name and bare JSON in each call. */
export const deepseekV31: ToolFormat = {
  name: 'deepseek_v31',
  specialMarkers: Object.values(DEEPSEEK),
  fits: (template) => template.includes(DEEPSEEK.callsBegin) && !template.includes('```json'),
  parser: (options) => new CompletionReader(options, v31Grammar),
};
