import { MarkerFinder } from '../marker-finder.ts';
import { OPEN_BRACE } from './characters.ts';
import type { CompletionReader, ReadGenerator } from './completion-reader.ts';
import { JsonScanner } from './json-scanner.ts';

interface PassedCall {
  readonly name: string;
  readonly id?: string;
  /** What ends the call where its arguments are broken; without any, they go on to the end of the response. */
  readonly ends: readonly string[];
  /** What else ends it where it has no arguments. */
  readonly emptyEnd?: string;
}

/** Gives a call whose arguments, a JSON object, come next, as the model writes them. */
export function* passCall(reader: CompletionReader, { name, id, ends }: PassedCall): ReadGenerator<void> {
  reader.beginCall(name, id);
  if ((yield* reader.passJson(new JsonScanner(), reader.giveArguments)) !== 'broken') {
    reader.endCall();
    return;
  }
  const end = yield* passBrokenCall(reader, ends);
  if (end !== undefined) reader.putBack(end.length);
}

/**
 * Gives a call whose arguments may come next, a JSON object or nothing at all before the end of the call, which stays
 * unread: whether there was either.
 */
export function* readArguments(reader: CompletionReader, call: PassedCall): ReadGenerator<boolean> {
  yield* reader.skipSpace();
  if ((yield* reader.peek()) === OPEN_BRACE) {
    yield* passCall(reader, call);
    return true;
  }
  const end = yield* reader.oneOf(call.emptyEnd === undefined ? call.ends : [call.emptyEnd, ...call.ends]);
  if (end === undefined) return false;
  reader.putBack(end.length);
  giveCall(reader, { ...call, json: '{}' });
  return true;
}

interface WholeCall {
  readonly name: string;
  readonly id?: string;
  readonly json: string;
}

/** Gives a call whose arguments were read; what is held was its markup. */
export function giveCall(reader: CompletionReader, { name, id, json }: WholeCall): void {
  reader.beginCall(name, id);
  reader.giveArguments(json);
  reader.endCall();
}

/**
 * Ends a call whose arguments turned out to be broken. They can't be taken back, so all that follows belongs to them,
 * up to what ends the call, which stays held, or to the end of the response.
 */
export function* passBrokenCall(reader: CompletionReader, ends: readonly string[]): ReadGenerator<string | undefined> {
  reader.giveHeld(reader.giveArguments);
  const end = yield* reader.passUntil(new MarkerFinder(ends), reader.giveArguments);
  reader.endCall();
  return end;
}
