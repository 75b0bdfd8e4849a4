import { OPEN_BRACE, OPEN_BRACKET } from './characters.ts';
import type { CompletionReader, ReadGenerator } from './completion-reader.ts';
import { JsonScanner } from './json-scanner.ts';
import { giveCall, passCall } from './passed-call.ts';

/** `call`: it was a call; `refused`: it was none, and was given as text to its end; `none`: it is no call. */
export type CallOutcome = 'call' | 'refused' | 'none';

interface JsonCallOptions {
  /** What ends a call whose arguments are broken. */
  readonly ends: readonly string[];
  /** Whether no marker says that it is a call: then it may have no members but those of a call. */
  readonly isBare?: boolean;
}

const CALL_MEMBERS: ReadonlySet<string> = new Set(['name', 'arguments', 'parameters', 'type', 'id']);

/**
 * Reads `{"name": …, "arguments": {…}}`, where the arguments may also be called parameters, be an object inside a
 * string, come before the name or be left out. Behind a marker other members, such as Mistral's id, are markup. In a
 * bare object they show a response in JSON, which is text; where they come behind arguments that were given already,
 * the call remains and they are text.
 */
function* readJsonCall(
  reader: CompletionReader,
  { ends, isBare = false }: JsonCallOptions,
): ReadGenerator<CallOutcome> {
  if (!(yield* reader.literal('{'))) return 'none';
  let name: string | undefined;
  let held: string | undefined;
  let isEmitted = false;
  do {
    yield* reader.skipSpace();
    const key = yield* readKey(reader);
    if (key === undefined) return isEmitted ? 'call' : 'none';
    if (isBare && !CALL_MEMBERS.has(key)) return yield* passRest(reader, isEmitted);
    const holdsArguments = key === 'arguments' || key === 'parameters';
    if (key === 'name' && name === undefined) {
      name = yield* reader.jsonString();
      if (name === undefined) return 'none';
      if (!reader.offered(name)) return yield* passRest(reader, isEmitted);
    } else if (holdsArguments && name !== undefined && (yield* reader.peek()) === OPEN_BRACE && !isEmitted) {
      yield* passCall(reader, { name, ends });
      isEmitted = true;
    } else {
      const value = yield* reader.jsonValue();
      if (value === undefined) return isEmitted ? 'call' : 'none';
      if (isBare && key === 'type' && value !== '"function"') return yield* passRest(reader, isEmitted);
      if (holdsArguments) held = value;
    }
    yield* reader.skipSpace();
  } while (yield* reader.literal(','));
  const isComplete = yield* reader.literal('}');
  if (isEmitted) {
    if (isComplete) reader.drop();
    return 'call';
  }
  const json = argumentsIn(held);
  if (!isComplete || name === undefined || json === undefined) return 'none';
  giveCall(reader, { name, json });
  return 'call';
}

/** Reads one call or a list of them: what the last one was. */
export function* readJsonCalls(reader: CompletionReader, options: JsonCallOptions): ReadGenerator<CallOutcome> {
  if ((yield* reader.peek()) !== OPEN_BRACKET) return yield* readJsonCall(reader, options);
  reader.skip();
  let outcome: CallOutcome = 'none';
  do {
    yield* reader.skipSpace();
    // A comma may follow the last call.
    if (outcome === 'call' && (yield* reader.literal(']'))) {
      reader.drop();
      return outcome;
    }
    outcome = yield* readJsonCall(reader, options);
    if (outcome === 'none') return outcome;
    yield* reader.skipSpace();
  } while (yield* reader.literal(','));
  if ((yield* reader.literal(']')) && outcome === 'call') reader.drop();
  return outcome;
}

function* readKey(reader: CompletionReader): ReadGenerator<string | undefined> {
  const key = yield* reader.jsonString();
  yield* reader.skipSpace();
  if (key === undefined || !(yield* reader.literal(':'))) return undefined;
  yield* reader.skipSpace();
  return key;
}

/** Gives the rest of an object that is no call as text, or what follows in it behind a call that was given. */
function* passRest(reader: CompletionReader, isEmitted: boolean): ReadGenerator<CallOutcome> {
  reader.giveHeld();
  yield* reader.passJson(JsonScanner.insideObject(), reader.giveText);
  return isEmitted ? 'call' : 'refused';
}

/** The arguments that a member holds: an object, one written as a string, or nothing; undefined for all else. */
function argumentsIn(value: string | undefined): string | undefined {
  const text = value?.startsWith('"') ? stringIn(value)?.trim() : (value ?? '');
  if (text === '' || text === 'null') return '{}';
  return text !== undefined && isObject(text) ? text : undefined;
}

function stringIn(json: string): string | undefined {
  try {
    return JSON.parse(json) as string;
  } catch {
    return undefined;
  }
}

function isObject(text: string): boolean {
  const scanner = new JsonScanner();
  return text.startsWith('{') && scanner.scan(text, 0, text.length) === text.length && scanner.state === 'closed';
}
