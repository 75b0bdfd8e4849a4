import { GrammarError } from './grammar-error.ts';

/** A JSON schema that is not just a boolean. */
export type Schema = Readonly<Record<string, unknown>>;

/** Where a schema or a keyword stands; the root has no place. */
export interface Place {
  readonly parent: Place | undefined;
  readonly key: string | number;
}

/** A schema and where it stands: an object once it has been read. */
export interface Given<S = unknown> {
  readonly schema: S;
  readonly place: Place | undefined;
}

/** An object of keywords and where it stands. */
export type Part = Given<Schema>;

const longestKey = 64;

/** `.properties.a.oneOf[1]`. Keys come from the client, so they are cut. */
export function placeText(place: Place | undefined): string {
  const keys: string[] = [];
  for (let at = place; at; at = at.parent)
    keys.push(typeof at.key === 'number' ? `[${at.key}]` : `.${at.key.slice(0, longestKey)}`);
  return keys.toReversed().join('');
}

/** What stands within a schema, under these keys. */
export function inner({ schema, place }: Part, keyword: string, key?: string | number): Given {
  const value = schema[keyword];
  const at = { parent: place, key: keyword };
  if (key === undefined) return { schema: value, place: at };
  return { schema: (value as Record<string | number, unknown>)[key], place: { parent: at, key } };
}

/** The schemas in a list. */
export function innerList(part: Part, keyword: string): Given[] {
  const value = part.schema[keyword];
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length === 0)
    throw keywordFault([part], keyword, 'must be a list with at least one entry');
  return value.map((_, at) => inner(part, keyword, at));
}

/** A fault of the keyword in the last of these that has it. */
export function keywordFault(parts: readonly Part[], keyword: string, reason: string): GrammarError {
  const part = parts.findLast(({ schema }) => Object.hasOwn(schema, keyword));
  return new GrammarError(reason, placeText({ parent: part?.place, key: keyword }));
}

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The properties that a schema names, by name. */
export function propertiesOf({ schema }: Part): Schema {
  return isObject(schema['properties']) ? schema['properties'] : {};
}

/** The names that a schema requires. */
export function requiredOf(part: Part): readonly unknown[] {
  const required = part.schema['required'] ?? [];
  if (!Array.isArray(required)) throw keywordFault([part], 'required', 'must be a list');
  return required;
}

/** What schemas have to say of one property. */
export function propertyParts(parts: readonly Part[], name: string): Given[] {
  return parts.flatMap((part) => {
    if (Object.hasOwn(propertiesOf(part), name)) return [inner(part, 'properties', name)];
    return 'additionalProperties' in part.schema ? [inner(part, 'additionalProperties')] : [];
  });
}
