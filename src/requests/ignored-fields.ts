import { z } from 'zod';
import { acceptedValuesOf, type IgnoredValues, withAcceptedValues } from './accepted-values.ts';
import { schemaChoice } from './schema-choice.ts';

/** A part of a field that has no effect: its path below the field, for example `.tools[0]`, and the reason. */
export interface IgnoredPart {
  readonly path: string;
  readonly reason: string;
}

type FindIgnored = (value: unknown) => readonly IgnoredPart[];

const ignoredParts = new WeakMap<z.core.$ZodType, FindIgnored>();

/** Registers what has no effect in a value of a schema, where that depends on the value, and returns the schema. */
export function withIgnoredParts<Schema extends z.ZodType>(schema: Schema, find: FindIgnored): Schema {
  ignoredParts.set(schema, find);
  return schema;
}

/** Accepts values that have no effect besides those of a schema. They are reported like an `ignoredField`. */
export function withIgnoredValues<Value, Ignored>(values: IgnoredValues<Value, Ignored>) {
  const { schema, ignored, isIgnored } = values;
  const either = schemaChoice((value): z.ZodType<Value | Ignored> => (isIgnored(value) ? ignored : schema));
  return withAcceptedValues({ kind: 'partly-ignored', ...values }, either);
}

/** A hint of a request that has no effect. */
export interface Hint {
  readonly name: string;
  readonly reason: string;
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
  const find = ignoredParts.get(schema);
  if (find) return [{ parts: [], find }];
  const accepted = acceptedValuesOf(schema);
  if (accepted?.kind === 'ignored') return [{ parts: [], find: wholeUnless(accepted) }];
  if (accepted?.kind === 'partly-ignored') {
    const { reason, isIgnored } = accepted;
    const whole: FindIgnored = (value) => (isIgnored(value) ? [{ path: '', reason }] : []);
    return [{ parts: [], find: whole }, ...ignoredPaths(accepted.schema)];
  }
  if (accepted?.kind === 'list') return below(each, accepted.item);
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, field]) => below(name, field as z.core.$ZodType));
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

function below(part: string | typeof each, schema: z.core.$ZodType): IgnoredPath[] {
  return ignoredPaths(schema).map((path) => ({ ...path, parts: [part, ...path.parts] }));
}

/** The hints of a body that have no effect. */
export function ignoredHints(schema: z.ZodObject, body: object): Hint[] {
  return ignoredPaths(schema).flatMap((path) => hintsAt(body, path));
}

/** The hints at a path that have a value with a meaning. */
function hintsAt(value: unknown, { parts, find }: IgnoredPath, name = ''): Hint[] {
  const [part, ...rest] = parts;
  if (value === undefined || value === null) return [];
  if (part === undefined) return find(value).map(({ path, reason }) => ({ name: name + path, reason }));
  const below = { parts: rest, find };
  if (part === each)
    return Array.isArray(value) ? value.flatMap((item, at) => hintsAt(item, below, `${name}[${at}]`)) : [];
  if (typeof value !== 'object' || !Object.hasOwn(value, part)) return [];
  return hintsAt(value[part as keyof typeof value], below, name === '' ? part : `${name}.${part}`);
}
