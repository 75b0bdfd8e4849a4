import { isJsonObject, type JsonObject } from '../../../json-object.ts';
import { pathText, type SchemaPath } from '../../../json-schema/schema-path.ts';
import { commonTypes } from '../../../json-schema/values.ts';
import { GrammarError } from './grammar-error.ts';

/** A schema and its path in the root schema. */
export interface LocatedSchema<S = unknown> {
  readonly schema: S;
  readonly location: SchemaPath;
}

/** A schema that is an object of keywords. */
export type Part = LocatedSchema<JsonObject>;

/** The path of the root. */
export const rootLocation: SchemaPath = { parent: undefined, key: '' };

/** The schema under these keys of another one. */
export function inner({ schema, location }: Part, keyword: string, key?: string | number): LocatedSchema {
  const value = schema[keyword];
  const at = { parent: location, key: keyword };
  if (key === undefined) return { schema: value, location: at };
  return { schema: (value as Record<string | number, unknown>)[key], location: { parent: at, key } };
}

/** The schemas in a list. */
export function innerList(part: Part, keyword: string): LocatedSchema[] {
  const value = part.schema[keyword];
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length === 0)
    throw keywordError([part], keyword, 'must be an array with at least one entry');
  return value.map((_, at) => inner(part, keyword, at));
}

/** An error about the keyword, with the path of the last of these schemas that has it. */
export function keywordError(parts: readonly Part[], keyword: string, reason: string): GrammarError {
  const part = parts.findLast(({ schema }) => Object.hasOwn(schema, keyword));
  return new GrammarError(reason, pathText({ parent: part?.location ?? rootLocation, key: keyword }));
}

/** The properties that a schema names, by name. */
export function propertiesOf({ schema }: Part): JsonObject {
  return isJsonObject(schema['properties']) ? schema['properties'] : {};
}

/** The names that a schema requires. */
export function requiredOf(part: Part): readonly unknown[] {
  const required = part.schema['required'] ?? [];
  if (!Array.isArray(required)) throw keywordError([part], 'required', 'must be an array');
  return required;
}

/** The schemas of one property. */
export function propertyParts(parts: readonly Part[], name: string): LocatedSchema[] {
  return parts.flatMap((part) => {
    if (Object.hasOwn(propertiesOf(part), name)) return [inner(part, 'properties', name)];
    return 'additionalProperties' in part.schema ? [inner(part, 'additionalProperties')] : [];
  });
}

const names = new Set<unknown>(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

/** The types that a schema names; `nullable` adds null to them, as in OpenAPI 3.0. */
export function namedTypes({ schema, location }: Part): readonly string[] | undefined {
  const { type, nullable } = schema;
  if (type === undefined) {
    if (nullable === true)
      throw keywordError(
        [{ schema, location }],
        'nullable',
        'is only supported together with type; add null to type instead',
      );
    return undefined;
  }
  const types = [type].flat();
  const wrong = types.find((each) => !names.has(each));
  if (wrong !== undefined || types.length === 0)
    throw keywordError(
      [{ schema, location }],
      'type',
      `${String(wrong)} is not a JSON type: use ${[...names].join(', ')}`,
    );
  return (nullable === true ? [...new Set([...types, 'null'])] : types) as string[];
}

/** The types that all schemas allow; undefined: none of them names a type. */
export function typesOfAll(parts: readonly Part[]): readonly string[] | undefined {
  let types: readonly string[] | undefined;
  for (const part of parts) {
    const named = namedTypes(part);
    if (named) types = types ? commonTypes(types, named) : named;
  }
  return types;
}

/** Keywords that describe a value and do not restrict it. */
const silent = `$schema $id $comment $anchor $defs definitions title description default examples example deprecated
  readOnly writeOnly strict discriminator contentMediaType contentEncoding`.split(/\s+/);

export const ofStrings = ['minLength', 'maxLength', 'pattern', 'format'];
export const ofNumbers = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
export const ofArrays = ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'];
export const ofObjects = ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'];

const known = new Set([
  ...silent,
  ...'type nullable enum const anyOf oneOf allOf $ref'.split(' '),
  ...ofStrings,
  ...ofNumbers,
  ...ofArrays,
  ...ofObjects,
]);

/** Rejects an unknown keyword: the grammar would not enforce it. */
export function checkKeywords(part: Part): void {
  for (const keyword of Object.keys(part.schema))
    if (!known.has(keyword)) throw keywordError([part], keyword, `the keyword ${keyword} is not supported`);
}

const mostSteps = 30_000;

/** Limits the cost of turning a schema into a grammar: schemas can multiply their parts, and the event loop waits. */
export class SchemaWork {
  #steps = 0;

  add(steps: number): void {
    this.#steps += steps;
    if (this.#steps > mostSteps) throw new GrammarError('the schema is too large, or has too many alternatives');
  }
}
