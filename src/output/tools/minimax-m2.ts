import { CompletionReader, type ReadGenerator } from './completion-reader.ts';
import { sectionedCalls } from './sectioned-calls.ts';
import { readTaggedCall, unquoted } from './tagged-parameters.ts';
import type { ToolFormat } from './tool-parser.ts';

const CALLS_BEGIN = '<minimax:tool_call>';
const CALLS_END = '</minimax:tool_call>';
const INVOKE = '<invoke name=';

function* readCall(reader: CompletionReader): ReadGenerator<boolean> {
  const name = yield* reader.heldBefore('>', ['<']);
  const tool = name === undefined ? undefined : reader.offered(unquoted(name.trim()));
  if (!tool) return false;
  return yield* readTaggedCall(reader, tool, {
    keyOpen: '<parameter name=',
    keyClose: '>',
    valueClose: '</parameter>',
    hasOwnLines: false,
    callClose: '</invoke>',
    behindCall: [CALLS_END, CALLS_BEGIN, INVOKE],
  });
}

const grammar = sectionedCalls({ open: CALLS_BEGIN, close: CALLS_END, callOpen: INVOKE, readCall });

/** MiniMax M2: `<minimax:tool_call>`, in it `<invoke name="f">` with `<parameter name="p">value</parameter>`. */
export const minimaxM2: ToolFormat = {
  name: 'minimax_m2',
  specialMarkers: [CALLS_BEGIN, CALLS_END],
  fits: (template) => template.includes(CALLS_BEGIN),
  parser: (options) => new CompletionReader(options, grammar),
};
