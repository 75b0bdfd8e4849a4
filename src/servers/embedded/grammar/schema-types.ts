import type { Part, Schema } from './schema-part.ts';
import { keywordFault } from './schema-part.ts';

const names = new Set<unknown>(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

/** The types that a schema names; `nullable` adds null to them, as in OpenAPI 3.0. */
export function namedTypes({ schema, place }: Part): readonly string[] | undefined {
  const { type, nullable } = schema;
  if (type === undefined) {
    if (nullable === true)
      throw keywordFault([{ schema, place }], 'nullable', 'is supported beside type only; list null as a type instead');
    return undefined;
  }
  const types = [type].flat();
  const wrong = types.find((each) => !names.has(each));
  if (wrong !== undefined || types.length === 0)
    throw keywordFault([{ schema, place }], 'type', `${String(wrong)} is not one of JSON's types`);
  return (nullable === true ? [...new Set([...types, 'null'])] : types) as string[];
}

/** The types that two lists share; whole numbers are numbers too. */
export function commonTypes(one: readonly string[], other: readonly string[]): string[] {
  const both = one.filter((type) => other.includes(type) || (type === 'integer' && other.includes('number')));
  if (one.includes('number') && other.includes('integer') && !both.includes('integer')) both.push('integer');
  return both.includes('number') ? both.filter((type) => type !== 'integer') : both;
}

/** The types that all the schemas name together; undefined: none of them says. */
export function typesOfAll(parts: readonly Part[]): readonly string[] | undefined {
  let types: readonly string[] | undefined;
  for (const part of parts) {
    const named = namedTypes(part);
    if (named) types = types ? commonTypes(types, named) : named;
  }
  return types;
}

/** The type of a value, as precise as JSON schema has it. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

/** A text that equal values share, whatever the order of their keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each as Schema).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
