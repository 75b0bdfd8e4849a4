import { MarkerFinder } from '../marker-finder.ts';
import { readBareCalls } from './bare-json.ts';
import { OPEN_BRACE } from './characters.ts';
import type { CompletionGrammar, CompletionReader, ReadGenerator } from './completion-reader.ts';
import { type CallOutcome, readJsonCalls } from './json-calls.ts';

interface MarkedJson {
  readonly markers: readonly string[];
  /** What may follow the calls. */
  readonly closes?: readonly string[];
  /** Whether the calls may begin the response without a marker. */
  readonly mayStartBare?: boolean;
}

/** A response with JSON calls, or lists of them, behind markers. */
export function markedJsonCalls({ markers, closes = [], mayStartBare = false }: MarkedJson): CompletionGrammar {
  return function* (reader) {
    const finder = new MarkerFinder(markers);
    if (mayStartBare) {
      yield* reader.skipSpace();
      yield* readBareCalls(reader);
    }
    while ((yield* reader.textUntil(finder)) !== undefined) yield* readMarkedCalls(reader, { ends: closes, closes });
  };
}

interface MarkedCalls {
  /** What ends a call whose arguments are broken. */
  readonly ends: readonly string[];
  readonly closes: readonly string[];
}

/** Reads the calls behind a marker, also several without a list around them, and what closes them. */
export function* readMarkedCalls(reader: CompletionReader, { ends, closes }: MarkedCalls): ReadGenerator<void> {
  let outcome: CallOutcome;
  do {
    yield* reader.skipSpace();
    outcome = yield* readJsonCalls(reader, { ends });
    if (outcome === 'none') return;
  } while (yield* anotherFollows(reader));
  if (outcome === 'call') yield* dropClose(reader, closes);
}

function* anotherFollows(reader: CompletionReader): ReadGenerator<boolean> {
  yield* reader.skipSpace();
  if (yield* reader.literal(',')) yield* reader.skipSpace();
  return (yield* reader.peek()) === OPEN_BRACE;
}

/** Models close more braces than they opened: those before the close are markup too. */
function* dropClose(reader: CompletionReader, closes: readonly string[]): ReadGenerator<void> {
  while (yield* reader.literal('}')) yield* reader.skipSpace();
  if ((yield* reader.oneOf(closes)) !== undefined) reader.drop();
}
