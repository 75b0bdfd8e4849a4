import { MarkerFinder } from '../marker-finder.ts';
import type { AnswerReader, Reading } from './answer-reader.ts';
import { argumentValue } from './argument-value.ts';
import { passBrokenCall } from './broken-call.ts';
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
}

/**
 * Reads the parameters of a call, one pair of tags each, up to the end of the call, and gives them as a JSON object:
 * whether it is a call at all, which is known with the first parameter.
 */
export function* readTaggedCall(reader: AnswerReader, tool: OfferedTool, tags: ParameterTags): Reading<boolean> {
  const values = new MarkerFinder(tags.hasOwnLines ? [`\n${tags.valueClose}`, tags.valueClose] : [tags.valueClose]);
  for (let count = 0; ; count++) {
    yield* reader.skipSpace();
    const isFirst = count === 0;
    if (yield* reader.literal(tags.callClose)) {
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
    if ((yield* reader.passUntil(values, (text) => value.push(text))) === undefined) {
      value.cut();
      reader.endCall();
      return true;
    }
    reader.drop();
    value.end();
  }
}

function* readParameterName(reader: AnswerReader, tags: ParameterTags): Reading<string | undefined> {
  if (!(yield* reader.literal(tags.keyOpen))) return undefined;
  const name = yield* reader.heldUntil([tags.keyClose]);
  if (name === undefined) return undefined;
  if (tags.valueOpen !== undefined) {
    yield* reader.skipSpace();
    if (!(yield* reader.literal(tags.valueOpen))) return undefined;
  }
  if (tags.hasOwnLines) yield* reader.literal('\n');
  return unquoted(name.text.trim());
}

/** A name as it stands in a tag: `name="city"` or `name=city`. */
export function unquoted(name: string): string {
  return name.length > 1 && name.startsWith('"') && name.endsWith('"') ? name.slice(1, -1) : name;
}
