import { CompletionReader } from './completion-reader.ts';
import { markedJsonCalls } from './marked-json.ts';
import type { ToolFormat } from './tool-parser.ts';

const grammar = markedJsonCalls({
  markers: ['<|tool_call|>', '<tool_call>'],
  closes: ['</tool_call>'],
  mayStartBare: true,
});

/**
 * Granite: 3 writes `<|tool_call|>[{"name": …, "arguments": {…}}]`, 3.1 also the same behind `<tool_call>`, and 4 one
 * call each between `<tool_call>` and `</tool_call>`. 3.0 may leave the marker out.
 */
export const granite: ToolFormat = {
  name: 'granite',
  aliases: ['granite4'],
  specialMarkers: ['<|tool_call|>', '<tool_call>', '</tool_call>'],
  fits: (template) => template.includes('<|start_of_role|>') && template.includes('tool'),
  parser: (options) => new CompletionReader(options, grammar),
};
