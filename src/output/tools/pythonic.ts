import { AnswerReader } from './answer-reader.ts';
import { pythonicCalls } from './pythonic-calls.ts';
import type { ToolFormat } from './tool-parser.ts';

const grammar = pythonicCalls();

/** What the prompts of models that write Python lists of calls say about it. */
export const PYTHONIC_PROMPT = 'func_name1(';

/** Llama 3.2, ToolACE and Gemma 3 with a template for it: `[first(a=1), second(b="x")]`. */
export const pythonic: ToolFormat = {
  name: 'pythonic',
  specialMarkers: [],
  fits: (template) => template.includes(PYTHONIC_PROMPT),
  parser: (options) => new AnswerReader(options, grammar),
};
