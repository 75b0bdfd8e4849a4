import { AnswerReader, type Reading } from './answer-reader.ts';
import { sectionedCalls } from './sectioned-calls.ts';
import { readTaggedCall } from './tagged-parameters.ts';
import type { ToolFormat } from './tool-parser.ts';

const FUNCTION = '<function=';

function* readCall(reader: AnswerReader): Reading<boolean> {
  const name = yield* reader.heldUntil(['>']);
  const tool = name && reader.offered(name.text.trim());
  if (!tool) return false;
  return yield* readTaggedCall(reader, tool, {
    keyOpen: '<parameter=',
    keyClose: '>',
    valueClose: '</parameter>',
    hasOwnLines: true,
    callClose: '</function>',
  });
}

const grammar = sectionedCalls({ open: '<tool_call>', close: '</tool_call>', callOpen: FUNCTION, readCall });

/** Qwen3-Coder: `<tool_call>\n<function=name>\n<parameter=key>\nvalue\n</parameter>\n</function>\n</tool_call>`. */
export const qwen3Coder: ToolFormat = {
  name: 'qwen3_coder',
  aliases: ['qwen3_xml'],
  specialMarkers: [],
  fits: (template) => template.includes(FUNCTION) && template.includes('<parameter='),
  parser: (options) => new AnswerReader(options, grammar),
};
