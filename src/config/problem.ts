import type { YAMLError } from 'yaml';
import type { z } from 'zod';
import { didYouMean } from './nearest.ts';
import { keysOf } from './setting.ts';

/** What a schema has against a value, as the end of a sentence: `must be at most 65535`. */
export const plainWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? 'another type of value'}`;
    case 'too_small':
      if (issue.origin === 'string') return 'must not be empty';
      if (issue.origin === 'array') return `must have at least ${issue.minimum} in its list`;
      return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'array') return `must have at most ${issue.maximum} in its list`;
      return `must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return 'has keys that nobody knows';
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
  string: 'text: put it in quotes',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of keys and values',
  record: 'a map of keys and values',
};

/** One mistake: what is wrong with the value at `path` inside the setting. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/** The mistakes that a schema found in a value, with the value itself unless it is secret. */
export function problemsOf(
  error: z.ZodError,
  { schema, input, secret }: { schema: z.core.$ZodType; input: unknown; secret: boolean },
): Problem[] {
  return error.issues.flatMap((issue): Problem[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: [...issue.path, key],
        text: `is not a key.${didYouMean(key, keysOf(schema))}`,
      }));
    }
    const value = valueAt(input, issue.path);
    const repeated = typeof value === 'string' && issue.message.includes(value);
    const shown = secret || repeated ? undefined : show(value);
    return [{ path: issue.path, text: `${issue.message}${shown === undefined ? '' : `, not ${shown}`}.` }];
  });
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value: unknown = input;
  for (const key of path) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  }
  return value;
}

/** A short value as one writes it, or undefined for what is better not repeated. */
function show(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || value.length > 80 || value.includes('@')) return undefined;
  return JSON.stringify(value);
}

/** What is wrong with a text that is no YAML, one line for each place: what follows from a mistake stands at its place too. */
export function syntaxProblems(errors: readonly YAMLError[], place: (offset: number) => string): string[] {
  const byPlace = new Map<string, string>();
  for (const { code, pos } of errors) {
    const at = place(pos[0]);
    if (!byPlace.has(at)) byPlace.set(at, `${at}: ${words[code] ?? 'this is not valid YAML'}.`);
  }
  return [...byPlace.values()];
}

const twice = 'a value has one anchor (&) and one tag (!) at most';

// The parser's own sentences may repeat what stands in the file, which may be a secret.
const words: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  DUPLICATE_KEY: 'this key is given twice',
  MULTIPLE_DOCS: 'the file must be one document',
  TAB_AS_INDENT: 'YAML is indented with spaces, not with tabs',
  BAD_INDENT: 'the indentation does not fit',
  MISSING_CHAR: 'a character is missing here, such as a closing bracket, quote or comma',
  UNEXPECTED_TOKEN: 'this is not expected here',
  BLOCK_AS_IMPLICIT_KEY: 'a key and a value are not expected here; a value that holds ": " is put in quotes',
  BLOCK_IN_FLOW: 'lists and maps between brackets are written with brackets',
  MULTILINE_IMPLICIT_KEY: 'a key, a colon and a space are expected in this line',
  KEY_OVER_1024_CHARS: 'this key is too long, or a quote is missing',
  BAD_SCALAR_START: 'a value that begins with @ or ` is put in quotes',
  BAD_DQ_ESCAPE: 'this text has a \\ that means nothing; write \\\\, or put the text in single quotes',
  MULTIPLE_ANCHORS: twice,
  MULTIPLE_TAGS: twice,
};
