import type { YAMLError } from 'yaml';
import type { z } from 'zod';
import { didYouMean } from './nearest.ts';
import { keysOf, numberRangeOf } from './setting.ts';

/** Why a schema rejects a value, as the end of a sentence: `must be at most 65535`. */
export const plainWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing';
      return `must be ${typeNames[issue.expected] ?? 'another type of value'}`;
    case 'too_small':
      if (issue.origin === 'string') return 'must not be empty';
      if (issue.origin === 'array')
        return `must have at least ${issue.minimum} ${issue.minimum === 1 ? 'item' : 'items'}`;
      return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'array')
        return `must have at most ${issue.maximum} ${issue.maximum === 1 ? 'item' : 'items'}`;
      return `must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return 'has unknown keys';
    case 'invalid_format':
    case 'not_multiple_of':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
    default:
      return 'is not valid';
  }
};

const typeNames: Readonly<Record<string, string>> = {
  string: 'text in quotes',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of keys and values',
  record: 'a map of keys and values',
};

/** One error: what is wrong with the value at `path` inside the setting. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/** The errors that a schema found in a value, with the value itself unless it is secret. */
export function problemsOf(
  error: z.ZodError,
  { schema, input, secret }: { schema: z.core.$ZodType; input: unknown; secret: boolean },
): Problem[] {
  return error.issues.flatMap((issue): Problem[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: [...issue.path, key],
        text: `is not a key.${didYouMean(key, keysOf(schema)) || keyList(keysOf(schema))}`,
      }));
    }
    const value = valueAt(input, issue.path);
    const range = issue.path.length === 0 ? numberRangeOf(schema) : undefined;
    const message = range === undefined ? issue.message : `must be ${range}`;
    const repeated = message.startsWith('must not') || (typeof value === 'string' && repeats(message, value));
    const displayValue = secret || repeated ? undefined : show(value);
    return [{ path: issue.path, text: `${message}${displayValue === undefined ? '' : `, not ${displayValue}`}.` }];
  });
}

/** Whether a message has the value already. A short one like "0" may be a part of what was expected. */
function repeats(message: string, value: string): boolean {
  return value === '' || message.includes(JSON.stringify(value)) || (value.length > 4 && message.includes(value));
}

function keyList(keys: readonly string[]): string {
  return keys.length === 0 ? '' : ` The keys are ${keys.join(', ')}.`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value: unknown = input;
  for (const key of path) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  }
  return value;
}

/** A short value as users write it; undefined for one that is long or may contain a password. */
function show(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || value.length > 80 || value.includes('@')) return undefined;
  return JSON.stringify(value);
}

/** The syntax errors of a YAML text, one line for each position: an error often causes others at the same position. */
export function syntaxProblems(errors: readonly YAMLError[], positionOf: (offset: number) => string): string[] {
  const byPosition = new Map<string, string>();
  for (const { code, pos } of errors) {
    const at = positionOf(pos[0]);
    if (!byPosition.has(at)) byPosition.set(at, `${at}: ${words[code] ?? 'Invalid YAML'}.`);
  }
  return [...byPosition.values()];
}

const twice = 'A value can have only one anchor (&) and one tag (!)';

// The parser's own messages may repeat parts of the file, which may be secret.
const words: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  DUPLICATE_KEY: 'Duplicate key. Remove one of the two',
  MULTIPLE_DOCS: 'The file must be one YAML document. Remove the --- between documents',
  TAB_AS_INDENT: 'The line is indented with a tab. Use spaces',
  BAD_INDENT:
    'Wrong indentation, or a bracket before it is not closed. Indent all keys of a map by the same number of spaces',
  MISSING_CHAR: 'A character is missing. Add the closing bracket, quote or comma',
  UNEXPECTED_TOKEN: 'Unexpected text. Check the quotes, brackets and commas before it',
  BLOCK_AS_IMPLICIT_KEY: 'Unexpected key and value. Put a value that contains ": " in quotes',
  BLOCK_IN_FLOW: 'A list or map inside brackets must have brackets too',
  MULTILINE_IMPLICIT_KEY: 'The line must have a key, a colon and a space',
  KEY_OVER_1024_CHARS: 'The key is too long. Check for a missing quote',
  BAD_SCALAR_START: 'The value begins with @ or `. Put it in quotes',
  BAD_DQ_ESCAPE: 'Unknown escape sequence after \\. Write \\\\, or put the text in single quotes',
  MULTIPLE_ANCHORS: twice,
  MULTIPLE_TAGS: twice,
};
