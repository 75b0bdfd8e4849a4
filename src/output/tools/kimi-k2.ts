import { type CompletionGrammar, CompletionReader, type ReadGenerator } from './completion-reader.ts';
import { readArguments } from './passed-call.ts';
import { sectionedCalls } from './sectioned-calls.ts';
import type { ToolFormat } from './tool-parser.ts';

const SECTION_BEGIN = '<|tool_calls_section_begin|>';
const SECTION_END = '<|tool_calls_section_end|>';
const CALL_BEGIN = '<|tool_call_begin|>';
const ARGUMENT_BEGIN = '<|tool_call_argument_begin|>';
const CALL_END = '<|tool_call_end|>';

const ENDS = [CALL_END, CALL_BEGIN, SECTION_END];

/** Reads `functions.name:0<|tool_call_argument_begin|>{…}` and the end of the call. */
function* readCall(reader: CompletionReader, ids: CallIds): ReadGenerator<boolean> {
  const id = (yield* reader.heldBefore(ARGUMENT_BEGIN, ENDS))?.trim();
  if (id === undefined) return false;
  const name = id.replace(/^functions\./, '').replace(/:\d+$/, '');
  if (!reader.offered(name)) return false;
  const unique = ids.unique(id);
  if (!(yield* readArguments(reader, { name, id: unique, ends: ENDS }))) return false;
  ids.use(unique);
  yield* reader.skipSpace();
  if (yield* reader.literal(CALL_END)) reader.drop();
  return true;
}

/** The call ids of one response: an id that the model repeats gets another number. */
class CallIds {
  readonly #used = new Set<string>();
  #number = 1;

  unique(id: string): string {
    const base = id.replace(/:\d+$/, '');
    let unique = id;
    while (this.#used.has(unique)) unique = `${base}:${this.#number++}`;
    return unique;
  }

  use(id: string): void {
    this.#used.add(id);
  }
}

const grammar: CompletionGrammar = (reader) => {
  const ids = new CallIds();
  const calls = sectionedCalls({
    open: SECTION_BEGIN,
    close: SECTION_END,
    callOpen: CALL_BEGIN,
    readCall: (reader) => readCall(reader, ids),
  });
  return calls(reader);
};

/** Kimi K2: a section of calls whose ids the model counts itself, and wants to see again in the history. */
export const kimiK2: ToolFormat = {
  name: 'kimi_k2',
  specialMarkers: [SECTION_BEGIN, SECTION_END, CALL_BEGIN, ARGUMENT_BEGIN, CALL_END],
  fits: (template) => template.includes('<|im_middle|>') && template.includes('tool_declare'),
  parser: (options) => new CompletionReader(options, grammar),
};
