import { isSpace, QUOTE } from './characters.ts';
import type { CompletionReader, ReadGenerator } from './completion-reader.ts';
import { type CallOutcome, readJsonCalls } from './json-calls.ts';
import { JsonScanner } from './json-scanner.ts';

/** What an object without a marker begins with if it may be a call. */
const CALL_BEGINS = ['"name"', '"type": "function"', '"type":"function"'];

interface BareCalls {
  /** Whether a marker came before them after all. */
  readonly isMarked?: boolean;
}

/**
 * Reads a call, or a list of them, without a marker, known only by how it begins. Other objects are responses in JSON: they
 * are given as text as they come, whole, so that nothing inside them is taken for a call.
 */
export function* readBareCalls(
  reader: CompletionReader,
  { isMarked = false }: BareCalls = {},
): ReadGenerator<CallOutcome> {
  const isList = yield* reader.literal('[');
  const before = isList ? yield* reader.word(isSpace) : '';
  if (!(yield* reader.literal('{'))) return 'none';
  const within = yield* reader.word(isSpace);
  const begin = yield* reader.oneOf(CALL_BEGINS);
  if (begin !== undefined) {
    reader.putBack((isList ? 1 : 0) + before.length + 1 + within.length + begin.length);
    return yield* readJsonCalls(reader, { ends: [], isBare: !isMarked });
  }
  if ((yield* reader.peek()) !== QUOTE) return 'none';
  reader.giveHeld();
  yield* reader.passJson(JsonScanner.insideObject({ isInList: isList }), reader.giveText);
  return 'refused';
}
