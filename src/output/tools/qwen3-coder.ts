import { CompletionReader, type ReadGenerator } from './completion-reader.ts';
import { sectionedCalls } from './sectioned-calls.ts';
import { readTaggedCall } from './tagged-parameters.ts';
import type { ToolFormat } from './tool-parser.ts';

const CALLS_BEGIN = '<tool_call>';
const CALLS_END = '</tool_call>';
const FUNCTION = '<function=';

function* readCall(reader: CompletionReader): ReadGenerator<boolean> {
  const name = yield* reader.heldBefore('>', ['<']);
  const tool = name === undefined ? undefined : reader.offered(name.trim());
  if (!tool) return false;
  return yield* readTaggedCall(reader, tool, {
    keyOpen: '<parameter=',
    keyClose: '>',
    valueClose: '</parameter>',
    hasOwnLines: true,
    callClose: '</function>',
    behindCall: [CALLS_END, CALLS_BEGIN, FUNCTION],
  });
}

const grammar = sectionedCalls({ open: CALLS_BEGIN, close: CALLS_END, callOpen: FUNCTION, readCall });

/** Qwen3-Coder: `<tool_call>\n<function=name>\n<parameter=key>\nvalue\n</parameter>\n</function>\n</tool_call>`. */
export const qwen3Coder: ToolFormat = {
  name: 'qwen3_coder',
  aliases: ['qwen3_xml'],
  specialMarkers: [],
  otherMarkers: [CALLS_BEGIN, CALLS_END],
  fits: (template) => template.includes(FUNCTION) && template.includes('<parameter='),
  parser: (options) => new CompletionReader(options, grammar),
};
