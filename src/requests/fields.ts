import { z } from 'zod';
import { ApiError, type ErrorCode } from '../errors.ts';

/** What a schema with a hand-written check accepts. The OpenAPI document is generated from it. */
export type AcceptedValues =
  | { readonly kind: 'list'; readonly item: z.ZodType; readonly least: number; readonly most: number }
  | { readonly kind: 'record'; readonly value: z.ZodType; readonly most: number }
  | { readonly kind: 'refused' | 'ignored'; readonly reason: string; readonly harmless: readonly unknown[] }
  | ({ readonly kind: 'partly-ignored' } & IgnoredValues<unknown, unknown>)
  | { readonly kind: 'any'; readonly of: readonly z.ZodType[] };

/** Values of a schema, and others that have no effect. */
interface IgnoredValues<Value, Ignored> {
  readonly schema: z.ZodType<Value>;
  /** The schema of the ignored values. */
  readonly ignored: z.ZodType<Ignored>;
  readonly isIgnored: (value: unknown) => boolean;
  readonly reason: string;
}

const acceptedValues = new WeakMap<z.core.$ZodType, AcceptedValues>();

/** What a schema with a hand-written check accepts; undefined for other schemas, which describe themselves. */
export function acceptedValuesOf(schema: z.core.$ZodType): AcceptedValues | undefined {
  return acceptedValues.get(schema);
}

/** Registers what a schema with a hand-written check accepts, and returns the schema. */
export function withAcceptedValues<Schema extends z.ZodType>(what: AcceptedValues, schema: Schema): Schema {
  acceptedValues.set(schema, what);
  return schema;
}

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

/** A part of a field that has no effect. */
export interface IgnoredPart {
  /** The path below the field, for example `.tools[0]`. */
  readonly path: string;
  /** Undefined for an unknown field. */
  readonly reason: string | undefined;
}

type FindIgnored = (value: unknown) => readonly IgnoredPart[];

const ignoredParts = new WeakMap<z.core.$ZodType, readonly FindIgnored[]>();

/** Registers what has no effect in a value of a schema, where that depends on the value, and returns the schema. */
export function withIgnoredParts<Schema extends z.ZodType>(schema: Schema, find: FindIgnored): Schema {
  ignoredParts.set(schema, [...(ignoredParts.get(schema) ?? []), find]);
  return schema;
}

/**
 * Reports the unknown fields of an object, which are otherwise removed without notice. A check that is added to the
 * schema later creates another schema, without the report.
 */
export function reportUnknown<Schema extends z.ZodObject>(schema: Schema): Schema {
  const known = new Set(Object.keys(schema.shape));
  return withIgnoredParts(schema, (value) =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? []
      : Object.keys(value).flatMap((name) => (known.has(name) ? [] : [{ path: `.${name}`, reason: undefined }])),
  );
}

/** Accepts values that have no effect besides those of a schema. They are reported like an `ignoredField`. */
export function withIgnoredValues<Value, Ignored>(values: IgnoredValues<Value, Ignored>) {
  const { schema, ignored, isIgnored } = values;
  const either = z.unknown().transform((value, context): Value | Ignored => {
    const result = (isIgnored(value) ? ignored : schema).safeParse(value);
    if (result.success) return result.data;
    context.addIssue({ ...firstIssue(result.error.issues) });
    return z.NEVER;
  });
  return withAcceptedValues({ kind: 'partly-ignored', ...values }, either);
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

/** A field of a request that has no effect. */
interface Hint {
  readonly name: string;
  readonly reason: IgnoredPart['reason'];
}

/** Where a schema has ignored fields: names of fields, and `each` for the items of a list. */
interface IgnoredPath {
  readonly parts: readonly (string | typeof each)[];
  readonly find: FindIgnored;
}

const each = Symbol('each item');

const ignoredPathsOf = new WeakMap<z.core.$ZodType, readonly IgnoredPath[]>();

/** The paths of a schema's ignored fields, found once per schema. Does not look into unions and records. */
function ignoredPaths(schema: z.core.$ZodType): readonly IgnoredPath[] {
  const found = ignoredPathsOf.get(schema) ?? findIgnoredPaths(schema);
  ignoredPathsOf.set(schema, found);
  return found;
}

function findIgnoredPaths(schema: z.core.$ZodType): IgnoredPath[] {
  const own = (ignoredParts.get(schema) ?? []).map((find) => ({ parts: [], find }));
  return [...own, ...innerIgnoredPaths(schema)];
}

function innerIgnoredPaths(schema: z.core.$ZodType): IgnoredPath[] {
  const accepted = acceptedValuesOf(schema);
  if (accepted?.kind === 'ignored') return [{ parts: [], find: wholeUnless(accepted) }];
  if (accepted?.kind === 'partly-ignored') {
    const { reason, isIgnored } = accepted;
    const whole: FindIgnored = (value) => (isIgnored(value) ? [{ path: '', reason }] : []);
    return [{ parts: [], find: whole }, ...ignoredPaths(accepted.schema)];
  }
  if (accepted?.kind === 'list') return pathsBelow(each, accepted.item);
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, field]) => pathsBelow(name, field as z.core.$ZodType));
  if (schema instanceof z.ZodPipe) return findIgnoredPaths(schema.out);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return findIgnoredPaths(schema.unwrap());
  return [];
}

/** Finds the whole value, unless it is harmless. */
function wholeUnless({ harmless, reason }: { readonly harmless: readonly unknown[]; readonly reason: string }) {
  const whole = [{ path: '', reason }];
  return (value: unknown): readonly IgnoredPart[] => (harmless.includes(value) ? [] : whole);
}

function pathsBelow(part: string | typeof each, schema: z.core.$ZodType): IgnoredPath[] {
  return ignoredPaths(schema).map((path) => ({ ...path, parts: [part, ...path.parts] }));
}

function ignoredHints(schema: z.ZodObject, body: object): Hint[] {
  return ignoredPaths(schema).flatMap((path) => hintsAt(body, path));
}

/** The hints at a path that have a value with a meaning. Only those get a name: a request may have many parts. */
function hintsAt(value: unknown, path: IgnoredPath, depth = 0): readonly Hint[] {
  if (value === undefined || value === null) return none;
  const part = path.parts[depth];
  if (part === undefined) return path.find(value).map(({ path: name, reason }) => ({ name, reason }));
  if (part === each) return Array.isArray(value) ? hintsOfItems(value, path, depth) : none;
  if (typeof value !== 'object' || !Object.hasOwn(value, part)) return none;
  return hintsBelow(depth === 0 ? part : `.${part}`, hintsAt(value[part as keyof typeof value], path, depth + 1));
}

function hintsOfItems(items: readonly unknown[], path: IgnoredPath, depth: number): readonly Hint[] {
  const hints: Hint[] = [];
  items.forEach((item, at) => {
    const found = hintsAt(item, path, depth + 1);
    if (found.length > 0) for (const hint of hintsBelow(`[${at}]`, found)) hints.push(hint);
  });
  return hints;
}

const none: readonly never[] = [];

function hintsBelow(parent: string, hints: readonly Hint[]): readonly Hint[] {
  return hints.length === 0 ? hints : hints.map(({ name, reason }) => ({ name: parent + name, reason }));
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
