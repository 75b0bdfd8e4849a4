import { CompletionReader } from './completion-reader.ts';
import { markedJsonCalls } from './marked-json.ts';
import type { ToolFormat } from './tool-parser.ts';

const grammar = markedJsonCalls({ markers: ['functools', '<|tool_call|>'], closes: ['<|/tool_call|>'] });

/** Phi-4-mini: `functools[{"name": …, "arguments": {…}}, …]`, or the same list between its own special tokens. */
export const phi4Mini: ToolFormat = {
  name: 'phi4_mini',
  aliases: ['phi4_mini_json'],
  specialMarkers: ['<|tool_call|>', '<|/tool_call|>'],
  fits: (template) => template.includes('functools') || template.includes('<|tool|>'),
  parser: (options) => new CompletionReader(options, grammar),
};
