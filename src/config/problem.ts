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
