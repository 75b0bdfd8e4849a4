import { CompletionReader } from './completion-reader.ts';
import { pythonicCalls } from './pythonic-calls.ts';
import type { ToolFormat } from './tool-parser.ts';

const grammar = pythonicCalls();

/** What the prompts of models that write Python lists of calls say about it. */
const PYTHONIC_PROMPT = 'func_name1(';

/** Llama 3.2, ToolACE and Gemma 3 with a template for it: `[first(a=1), second(b="x")]`. */
export const pythonic: ToolFormat = {
  name: 'pythonic',
  specialMarkers: [],
  fits: (template) => template.includes(PYTHONIC_PROMPT),
  parser: (options) => new CompletionReader(options, grammar),
};

const PYTHON_START = '<|python_start|>';
const PYTHON_END = '<|python_end|>';

const llama4Grammar = pythonicCalls({ open: PYTHON_START, close: PYTHON_END });

/**
 * Llama 4: the Python list of calls, which it may put between two special tokens. Its template quotes every value, so
 * a quoted number is a number where the schema asks for one.
 */
export const llama4Pythonic: ToolFormat = {
  name: 'llama4_pythonic',
  specialMarkers: [PYTHON_START, PYTHON_END],
  fits: (template) => template.includes('<|header_start|>') && template.includes(PYTHONIC_PROMPT),
  parser: (options) => new CompletionReader(options, llama4Grammar),
};
