import { AnswerReader } from './answer-reader.ts';
import { markedJsonCalls } from './marked-json.ts';
import type { ToolFormat } from './tool-parser.ts';

const grammar = markedJsonCalls({ markers: ['<tool_call>'], closes: ['</tool_call>'] });

/** Hermes, Qwen 2.5 and Qwen 3: `<tool_call>\n{"name": …, "arguments": {…}}\n</tool_call>`. */
export const hermes: ToolFormat = {
  name: 'hermes',
  aliases: ['qwen25', 'qwen3'],
  specialMarkers: [],
  fits: (template) => template.includes('<tool_call>'),
  parser: (options) => new AnswerReader(options, grammar),
};
