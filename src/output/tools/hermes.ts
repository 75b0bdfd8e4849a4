import { CompletionReader } from './completion-reader.ts';
import { markedJsonCalls } from './marked-json.ts';
import type { ToolFormat } from './tool-parser.ts';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';

const grammar = markedJsonCalls({ markers: [OPEN], closes: [CLOSE] });

/** Hermes, Qwen 2.5 and Qwen 3: `<tool_call>\n{"name": …, "arguments": {…}}\n</tool_call>`. */
export const hermes: ToolFormat = {
  name: 'hermes',
  aliases: ['qwen25', 'qwen3'],
  specialMarkers: [],
  otherMarkers: [OPEN, CLOSE],
  // MiniMax M3 writes no JSON between these tags.
  fits: (template) => template.includes(OPEN) && !template.includes('<invoke name='),
  parser: (options) => new CompletionReader(options, grammar),
};
