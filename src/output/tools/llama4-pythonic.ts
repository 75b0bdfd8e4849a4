import { AnswerReader } from './answer-reader.ts';
import { PYTHONIC_PROMPT } from './pythonic.ts';
import { pythonicCalls } from './pythonic-calls.ts';
import type { ToolFormat } from './tool-parser.ts';

const PYTHON_START = '<|python_start|>';
const PYTHON_END = '<|python_end|>';

const grammar = pythonicCalls({ open: PYTHON_START, close: PYTHON_END });

/**
 * Llama 4: the Python list of calls, which it may put between two special tokens. Its template quotes every value, so
 * a quoted number is a number where the schema asks for one.
 */
export const llama4Pythonic: ToolFormat = {
  name: 'llama4_pythonic',
  specialMarkers: [PYTHON_START, PYTHON_END],
  fits: (template) => template.includes('<|header_start|>') && template.includes(PYTHONIC_PROMPT),
  parser: (options) => new AnswerReader(options, grammar),
};
