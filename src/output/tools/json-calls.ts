import { MarkerFinder } from '../marker-finder.ts';
import type { AnswerGrammar, AnswerReader, Reading } from './answer-reader.ts';
import { passBrokenCall } from './broken-call.ts';
import { OPEN_BRACE, OPEN_BRACKET } from './characters.ts';
import { JsonScanner } from './json-scanner.ts';

interface PassedCall {
  readonly name: string;
  readonly id?: string;
  /** What ends the call where its arguments are broken; without any, they go on to the end of the answer. */
  readonly ends: readonly string[];
}

/** Gives a call whose arguments, a JSON object, come next, as the model writes them. */
export function* passCall(reader: AnswerReader, { name, id, ends }: PassedCall): Reading<void> {
  reader.beginCall(name, id);
  if ((yield* reader.passJson(new JsonScanner(), reader.giveArguments)) !== 'broken') {
    reader.endCall();
    return;
  }
  const end = yield* passBrokenCall(reader, ends);
  if (end !== undefined) reader.putBack(end.length);
}

/** `given`: it was a call; `refused`: of a function that was not offered, and is text; `none`: it is no call. */
type CallOutcome = 'given' | 'refused' | 'none';

/**
 * Reads `{"name": …, "arguments": {…}}`, where the arguments may also be called parameters, come before the name or be
 * left out. Other members, such as Mistral's id, are markup.
 */
export function* readJsonCall(reader: AnswerReader, ends: readonly string[]): Reading<CallOutcome> {
  if (!(yield* reader.literal('{'))) return 'none';
  let name: string | undefined;
  let early: string | undefined;
  let isGiven = false;
  do {
    yield* reader.skipSpace();
    const key = yield* readKey(reader);
    if (key === undefined) return isGiven ? 'given' : 'none';
    const holdsArguments = key === 'arguments' || key === 'parameters';
    if (key === 'name' && name === undefined) {
      name = yield* reader.jsonString();
      if (name === undefined) return 'none';
      if (!reader.offered(name)) return yield* refuse(reader);
    } else if (holdsArguments && name !== undefined && (yield* reader.peek()) === OPEN_BRACE && !isGiven) {
      yield* passCall(reader, { name, ends });
      isGiven = true;
    } else {
      const value = yield* reader.jsonValue();
      if (value === undefined) return isGiven ? 'given' : 'none';
      if (holdsArguments) early = value;
    }
    yield* reader.skipSpace();
  } while (yield* reader.literal(','));
  const isComplete = yield* reader.literal('}');
  if (isGiven) {
    if (isComplete) reader.drop();
    return 'given';
  }
  if (!isComplete || name === undefined || !isObject(early)) return 'none';
  reader.beginCall(name);
  reader.giveArguments(early === undefined || early === 'null' ? '{}' : early);
  reader.endCall();
  return 'given';
}

/** Reads one call or a list of them; whether it gave any, and nothing that was refused came after it. */
export function* readJsonCalls(reader: AnswerReader, ends: readonly string[]): Reading<boolean> {
  if ((yield* reader.peek()) !== OPEN_BRACKET) return (yield* readJsonCall(reader, ends)) === 'given';
  reader.skip();
  let outcome: CallOutcome;
  do {
    yield* reader.skipSpace();
    outcome = yield* readJsonCall(reader, ends);
    if (outcome === 'none') return false;
    yield* reader.skipSpace();
  } while (yield* reader.literal(','));
  if ((yield* reader.literal(']')) && outcome === 'given') reader.drop();
  return outcome === 'given';
}

interface MarkedJson {
  readonly markers: readonly string[];
  /** What may stand behind the calls. */
  readonly closes?: readonly string[];
  /** Whether the calls may begin the answer without a marker. */
  readonly mayStartBare?: boolean;
}

/** An answer with JSON calls, or lists of them, behind markers. */
export function markedJsonCalls({ markers, closes = [], mayStartBare = false }: MarkedJson): AnswerGrammar {
  return function* (reader) {
    const finder = new MarkerFinder(markers);
    if (mayStartBare) yield* readMarked(reader, closes);
    while ((yield* reader.textUntil(finder)) !== undefined) yield* readMarked(reader, closes);
  };
}

function* readMarked(reader: AnswerReader, closes: readonly string[]): Reading<void> {
  yield* reader.skipSpace();
  if (!(yield* readJsonCalls(reader, closes))) return;
  yield* reader.skipSpace();
  for (const close of closes) {
    if (!(yield* reader.literal(close))) continue;
    reader.drop();
    return;
  }
}

function* readKey(reader: AnswerReader): Reading<string | undefined> {
  const key = yield* reader.jsonString();
  yield* reader.skipSpace();
  if (key === undefined || !(yield* reader.literal(':'))) return undefined;
  yield* reader.skipSpace();
  return key;
}

/** Gives the rest of the object, which was read up to its name, as text. */
function* refuse(reader: AnswerReader): Reading<CallOutcome> {
  reader.giveHeld();
  yield* reader.passJson(JsonScanner.insideObject(), reader.giveText);
  return 'refused';
}

function isObject(json: string | undefined): boolean {
  return json === undefined || json === 'null' || json.startsWith('{');
}
