import { z } from 'zod';
import { acceptedValuesOf, type IgnoredValues, withAcceptedValues } from './accepted-values.ts';
import { schemaChoice } from './schema-choice.ts';

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
  const either = schemaChoice((value): z.ZodType<Value | Ignored> => (isIgnored(value) ? ignored : schema));
  return withAcceptedValues({ kind: 'partly-ignored', ...values }, either);
}

/** A field of a request that has no effect. */
export interface Hint {
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
  if (schema instanceof z.ZodPipe)
    return findIgnoredPaths(schema.out instanceof z.ZodTransform ? schema.in : schema.out);
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

/** The hints of a body that have no effect. */
export function ignoredHints(schema: z.ZodObject, body: object): Hint[] {
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
