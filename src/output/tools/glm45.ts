import { CompletionReader, type ReadGenerator } from './completion-reader.ts';
import { sectionedCalls } from './sectioned-calls.ts';
import { type ParameterTags, readTaggedCall } from './tagged-parameters.ts';
import type { ToolFormat } from './tool-parser.ts';

const CALL_OPEN = '<tool_call>';

const TAGS = {
  keyOpen: '<arg_key>',
  keyClose: '</arg_key>',
  valueOpen: '<arg_value>',
  valueClose: '</arg_value>',
  hasOwnLines: false,
  callClose: '</tool_call>',
  behindCall: [CALL_OPEN],
} satisfies ParameterTags;

function* readCall(reader: CompletionReader): ReadGenerator<boolean> {
  yield* reader.skipSpace();
  const name = yield* reader.heldUntil(['\n', '<']);
  const tool = name && reader.offered(name.text.trim());
  if (!tool) return false;
  reader.putBack(name.marker.length);
  return yield* readTaggedCall(reader, tool, TAGS);
}

const grammar = sectionedCalls({ callOpen: CALL_OPEN, readCall });

/** GLM 4.5 to 4.7: `<tool_call>name\n<arg_key>k</arg_key>\n<arg_value>v</arg_value>\n</tool_call>`. */
export const glm45: ToolFormat = {
  name: 'glm45',
  aliases: ['glm47'],
  specialMarkers: [],
  otherMarkers: [CALL_OPEN, TAGS.callClose, TAGS.keyOpen, TAGS.keyClose, TAGS.valueOpen, TAGS.valueClose],
  fits: (template) => template.includes('<arg_key>'),
  parser: (options) => new CompletionReader(options, grammar),
};
