import { z } from 'zod';
import { ApiError, type ErrorCode } from '../errors.ts';
import { withAcceptedValues } from './accepted-values.ts';
import { type Hint, ignoredHints } from './ignored-fields.ts';

/** A field of OpenAI or vLLM that is not supported: any value other than null and the harmless ones is a 400. */
export function unsupportedField(reason: string, harmless: readonly unknown[] = []) {
  const schema = z.unknown().superRefine((value, context) => {
    if (value === undefined || value === null || harmless.includes(value)) return;
    context.addIssue({ code: 'custom', message: reason, params: { code: 'unsupported_parameter' } });
  });
  return withAcceptedValues({ kind: 'refused', reason, harmless }, schema).optional();
}

/**
 * A hint or a declaration that has no effect here, but does not change the result either: any value is accepted and
 * reported as ignored. `--strict-fields` rejects it like an unsupported field. Not inside unions: see `ignoredPaths`.
 */
export function ignoredField(reason: string, harmless: readonly unknown[] = []) {
  return withAcceptedValues({ kind: 'ignored', reason, harmless }, z.unknown()).optional();
}

/**
 * A list whose check ends at the first wrong item. Zod would report each of them, which takes seconds for a list of a
 * million wrong ones.
 */
export function list<Item>(item: z.ZodType<Item>, { least = 0, most }: { least?: number; most: number }) {
  const schema = z.unknown().transform((value, context): Item[] => {
    const fail = (message: string): never => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (!Array.isArray(value)) {
      context.addIssue({ code: 'invalid_type', expected: 'array', message: 'must be an array', input: value });
      return z.NEVER;
    }
    if (value.length < least) return fail(`must have at least ${entries(least)}`);
    if (value.length > most) return fail(`must have at most ${entries(most)}, not ${value.length}`);
    const items: Item[] = [];
    for (let index = 0; index < value.length; index++) {
      const result = item.safeParse(value[index]);
      if (!result.success) {
        const issue = firstIssue(result.error.issues);
        context.addIssue({ ...issue, path: [index, ...issue.path] });
        return z.NEVER;
      }
      items.push(result.data);
    }
    return items;
  });
  return withAcceptedValues({ kind: 'list', item, least, most }, schema);
}

interface RecordOptions {
  readonly key?: z.ZodString;
  readonly most: number;
}

/** An object whose values have one schema. Like the check of a list, its check ends at the first wrong entry. */
export function record<Value>(value: z.ZodType<Value>, { key = z.string(), most }: RecordOptions) {
  const schema = z.unknown().transform((raw, context): Record<string, Value> => {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
      context.addIssue({ code: 'invalid_type', expected: 'record', message: 'must be an object', input: raw });
      return z.NEVER;
    }
    const found = Object.entries(raw);
    if (found.length > most) {
      context.addIssue({ code: 'custom', message: `must have at most ${entries(most)}, not ${found.length}` });
      return z.NEVER;
    }
    const checked: [string, Value][] = [];
    for (const [name, entry] of found) {
      const named = key.safeParse(name);
      const result = value.safeParse(entry);
      if (!named.success || !result.success) {
        const issue = firstIssue((named.error ?? result.error)?.issues ?? []);
        context.addIssue({ ...issue, path: [name, ...issue.path] });
        return z.NEVER;
      }
      checked.push([name, result.data]);
    }
    return Object.fromEntries(checked);
  });
  return withAcceptedValues({ kind: 'record', value, most }, schema);
}

/** A request, and the names of its ignored fields: unknown ones and hints. */
export interface ParsedRequest<Request> {
  readonly request: Request;
  readonly ignoredFields: readonly string[];
  /** The error of `--strict-fields`, if a field has no effect. */
  readonly strictError?: ApiError;
}

/** Checks a body against its schema. Throws the first error as a 400 that names the field. */
export function parseRequest<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  body: unknown,
): ParsedRequest<z.output<z.ZodObject<Shape>>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ApiError('invalid_request', 'The request body must be a JSON object.');
  const knownFields: string[] = [];
  const unknownFields: string[] = [];
  for (const name of Object.keys(body)) (Object.hasOwn(schema.shape, name) ? knownFields : unknownFields).push(name);
  const result = schemaOfFields(schema, knownFields).safeParse(body);
  if (!result.success) throw requestError(result.error, body);
  const request = result.data as z.output<z.ZodObject<Shape>>;
  const hints = ignoredHints(schema, body);
  const ignoredFields = [...unknownFields, ...hints.map(({ name }) => name)];
  const [first] = ignoredFields;
  if (first === undefined) return { request, ignoredFields };
  const strictError = unknownFields.length > 0 ? unknownField(first) : unsupported(hints[0] as Hint);
  return { request, ignoredFields, strictError };
}

/** The error for a field that is unknown. */
export function unknownField(name: string): ApiError {
  return new ApiError('unknown_field', `${name}: unknown field. Remove it.`, { param: name });
}

function unsupported({ name, reason }: Hint): ApiError {
  if (reason === undefined) return unknownField(name);
  return new ApiError('unsupported_parameter', `${name}: ${reason}.`, { param: name });
}

/** Maximum number of reduced schemas per schema. Clients send few sets of fields; other sets use the full schema. */
const mostCuts = 256;

const cuts = new WeakMap<z.ZodObject, Map<string, z.ZodObject>>();

/**
 * A schema without the optional fields that a body does not have. Zod goes through all fields of a schema, and the large
 * ones have ninety, of which a request has four.
 */
function schemaOfFields(schema: z.ZodObject, names: readonly string[]): z.ZodObject {
  let known = cuts.get(schema);
  if (!known) cuts.set(schema, (known = new Map()));
  const key = names.join(' ');
  const found = known.get(key);
  if (found) return found;
  // A check of the whole object may read any field.
  if (known.size >= mostCuts || schema.def.checks?.length) return schema;
  const present = new Set(names);
  const fields = Object.entries(schema.shape).filter(([name, field]) => present.has(name) || !mayBeLeftOut(field));
  const mask = Object.fromEntries(fields.map(([name]) => [name, true])) as Parameters<typeof schema.pick>[0];
  const cut = schema.pick(mask);
  known.set(key, cut);
  return cut;
}

/** Whether a field that is left out is left out of the result too. */
function mayBeLeftOut({ _zod: { optin, optout } }: z.core.$ZodType): boolean {
  return optin === 'optional' && optout === 'optional';
}

function requestError(error: z.ZodError, body: object): ApiError {
  const issue = firstIssue(error.issues);
  const param = pathText(issue.path);
  const isMissing = issue.path.length === 1 && !Object.hasOwn(body, issue.path[0] as string);
  const text = wordsOf(issue, valueAt(body, issue.path));
  const message = isMissing
    ? `The field ${param} is required.`
    : `${param || 'The request body'}: ${text}${text.endsWith('.') ? '' : '.'}`;
  const code = issue.code === 'custom' ? (issue.params?.['code'] as ErrorCode | undefined) : undefined;
  return new ApiError(code ?? 'invalid_request', message, param ? { param } : {});
}

/** Replaces Zod's wording of common errors. Repeats numbers and booleans, but no strings: those may be prompts. */
function wordsOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (!/^(?:Invalid (?:input|option|key)|Too small|Too big|Unrecognized key)/.test(issue.message)) return issue.message;
  const isPlain = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
  const actual = isPlain ? `, not ${value}` : '';
  if (issue.code === 'invalid_type') {
    if (issue.message.endsWith('received undefined')) return 'is required';
    return `must be ${kinds[issue.expected] ?? `of type ${issue.expected}`}${actual}`;
  }
  if (issue.code === 'too_small') {
    if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
    return sized(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum) + actual;
  }
  if (issue.code === 'too_big')
    return sized(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum) + actual;
  if (issue.code === 'invalid_value') return `must be ${alternatives(issue.values.map(String))}${actual}`;
  if (issue.code === 'unrecognized_keys') return `unknown field ${JSON.stringify(issue.keys[0])}; remove it`;
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  return issue.message;
}

function alternatives(names: readonly string[]): string {
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : names.join();
}

function sized(origin: string, bound: string, size: number | bigint): string {
  if (origin === 'string') return `must have ${bound} ${size} ${Number(size) === 1 ? 'character' : 'characters'}`;
  return origin === 'array' ? `must have ${bound} ${entries(size)}` : `must be ${bound} ${size}`;
}

function entries(count: number | bigint): string {
  return `${count} ${Number(count) === 1 ? 'entry' : 'entries'}`;
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = value[part as keyof typeof value];
  }
  return value;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

/** The first issue. Inside a union: that of the alternative which matched furthest, if only one did. */
function firstIssue(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue {
  const issue = issues[0] as z.core.$ZodIssue;
  if (issue.code !== 'invalid_union') return issue;
  const inner = issue.errors.filter((alternative) => alternative.length > 0).map(firstIssue);
  const depth = Math.max(...inner.map(({ path }) => path.length));
  const deepest = inner.filter(({ path, code }) => path.length === depth && (depth > 0 || code !== 'invalid_type'));
  const specific = deepest.filter(({ code }) => code !== 'invalid_type');
  const [best, another] = specific.length > 0 ? specific : deepest;
  if (!best || another) return issue;
  return { ...best, path: [...issue.path, ...best.path] };
}

/** A path as OpenAI writes it in `param`, for example `messages[0].content`. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at > 0 ? '.' : ''}${String(part)}`))
    .join('');
}
