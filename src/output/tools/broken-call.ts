import { MarkerFinder } from '../marker-finder.ts';
import type { AnswerReader, Reading } from './answer-reader.ts';

/**
 * Ends a call whose arguments turned out to be broken. They can't be taken back, so all that follows belongs to them,
 * up to what ends the call, which stays held, or to the end of the answer.
 */
export function* passBrokenCall(reader: AnswerReader, ends: readonly string[]): Reading<string | undefined> {
  reader.giveHeld(reader.giveArguments);
  const end = yield* reader.passUntil(new MarkerFinder(ends), reader.giveArguments);
  reader.endCall();
  return end;
}
