import { MarkerFinder } from '../marker-finder.ts';
import { argumentValue } from './argument-value.ts';
import { isSpace, NO_CHARACTER } from './characters.ts';
import type { CompletionReader, ReadGenerator } from './completion-reader.ts';
import type { ValueWriter } from './json-text.ts';
import { passBrokenCall } from './passed-call.ts';
import type { OfferedTool } from './tool-parser.ts';

/** The tags between which a format writes the parameters of a call. */
export interface ParameterTags {
  readonly keyOpen: string;
  readonly keyClose: string;
  /** Where a value has a tag of its own. */
  readonly valueOpen?: string;
  readonly valueClose: string;
  /** Whether a line break behind the opening tag and one before the closing tag belong to the tags. */
  readonly hasOwnLines: boolean;
  readonly callClose: string;
  /** What may follow a call; it also ends one that lacks its closing tag. */
  readonly behindCall: readonly string[];
}

/**
 * Reads the parameters of a call, one pair of tags each, up to the end of the call, and gives them as a JSON object.
 * Returns whether it is a call at all, which is known with the first parameter.
 *
 * A value may contain the tags of its format, as code does. So those that show that a value lacks its closing tag count
 * only at the start of a line, or, for that of the call, before what may follow it.
 */
export function* readTaggedCall(
  reader: CompletionReader,
  tool: OfferedTool,
  tags: ParameterTags,
): ReadGenerator<boolean> {
  const ends = new MarkerFinder(valueEnds(tags));
  for (let count = 0; ; count++) {
    yield* reader.skipSpace();
    const isFirst = count === 0;
    if (yield* readCallEnd(reader, tags)) {
      if (isFirst) reader.beginCall(tool.name);
      reader.drop();
      reader.giveArguments(isFirst ? '{}' : '}');
      reader.endCall();
      return true;
    }
    const parameter = yield* readParameterName(reader, tags);
    if (parameter === undefined && isFirst) return false;
    if (parameter === undefined) {
      if ((yield* passBrokenCall(reader, [tags.callClose])) !== undefined) reader.drop();
      return true;
    }
    if (isFirst) reader.beginCall(tool.name);
    reader.drop();
    reader.giveArguments(`${isFirst ? '{' : ', '}${JSON.stringify(parameter)}: `);
    const value = argumentValue(reader, { tool, parameter });
    if (!(yield* passValue(reader, { value, ends, tags }))) {
      value.cut();
      reader.endCall();
      return true;
    }
    value.end();
  }
}

function valueEnds({ keyOpen, valueClose, hasOwnLines, callClose }: ParameterTags): readonly string[] {
  const closes = hasOwnLines ? [`\n${valueClose}`, valueClose] : [valueClose];
  return [...closes, `\n${keyOpen}`, `\n${callClose}`, callClose];
}

/** Reads the closing tag of the call, or sees that it was forgotten. */
function* readCallEnd(reader: CompletionReader, { callClose, behindCall }: ParameterTags): ReadGenerator<boolean> {
  if (yield* reader.literal(callClose)) return true;
  const behind = yield* reader.oneOf(behindCall);
  if (behind !== undefined) reader.putBack(behind.length);
  return behind !== undefined;
}

interface PassedValue {
  readonly value: ValueWriter;
  readonly ends: MarkerFinder;
  readonly tags: ParameterTags;
}

/** Gives a value as it comes, up to its closing tag, or to the tag that shows that it has none: whether it ended. */
function* passValue(reader: CompletionReader, { value, ends, tags }: PassedValue): ReadGenerator<boolean> {
  const { keyOpen, valueClose, callClose, behindCall } = tags;
  const give = (text: string) => value.push(text);
  const startsLine = tags.hasOwnLines && (yield* reader.literal('\n'));
  reader.drop();
  const first = startsLine ? yield* reader.oneOf([keyOpen, callClose]) : undefined;
  if (first !== undefined) {
    reader.putBack(first.length);
    return true;
  }
  for (;;) {
    const end = yield* reader.passUntil(ends, give);
    if (end === undefined) return false;
    if (end.endsWith(valueClose)) {
      reader.drop();
      return true;
    }
    if (end !== callClose || (yield* comesNext(reader, behindCall))) {
      reader.putBack(end.length);
      return true;
    }
    reader.giveHeld(give);
  }
}

/** Whether one of these texts or the end of the response comes next, which stays unread. */
function* comesNext(reader: CompletionReader, texts: readonly string[]): ReadGenerator<boolean> {
  const space = yield* reader.word(isSpace);
  const text = yield* reader.oneOf(texts);
  const isNext = text !== undefined || (yield* reader.peek()) === NO_CHARACTER;
  reader.putBack(space.length + (text?.length ?? 0));
  return isNext;
}

function* readParameterName(reader: CompletionReader, tags: ParameterTags): ReadGenerator<string | undefined> {
  const { keyOpen, keyClose, valueOpen, callClose, behindCall } = tags;
  if (!(yield* reader.literal(keyOpen))) return undefined;
  const ends = [keyOpen, callClose, ...behindCall, ...(valueOpen === undefined ? [] : [valueOpen])];
  const name = yield* reader.heldBefore(keyClose, ends);
  if (name === undefined) return undefined;
  if (valueOpen !== undefined) {
    yield* reader.skipSpace();
    if (!(yield* reader.literal(valueOpen))) return undefined;
  }
  return unquoted(name.trim());
}

/** A name as a tag has it: `name="city"` or `name=city`. */
export function unquoted(name: string): string {
  return name.length > 1 && name.startsWith('"') && name.endsWith('"') ? name.slice(1, -1) : name;
}
