import type { AnswerGrammar, AnswerReader, Reading } from './answer-reader.ts';
import { sectionedCalls } from './sectioned-calls.ts';

/** The special tokens around the calls of DeepSeek's models. */
export const DEEPSEEK = {
  callsBegin: '<｜tool▁calls▁begin｜>',
  callsEnd: '<｜tool▁calls▁end｜>',
  callBegin: '<｜tool▁call▁begin｜>',
  callEnd: '<｜tool▁call▁end｜>',
  separator: '<｜tool▁sep｜>',
} as const;

/** What ends a call, also one that lacks its own end. */
export const DEEPSEEK_ENDS: readonly string[] = [DEEPSEEK.callEnd, DEEPSEEK.callBegin, DEEPSEEK.callsEnd];

/** A section of calls, which the versions write differently. */
export function deepseekCalls(readCall: (reader: AnswerReader) => Reading<boolean>): AnswerGrammar {
  return sectionedCalls({
    open: DEEPSEEK.callsBegin,
    close: DEEPSEEK.callsEnd,
    callOpen: DEEPSEEK.callBegin,
    readCall,
  });
}
