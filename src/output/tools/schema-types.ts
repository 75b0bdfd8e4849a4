import { isJsonObject } from '../../json-object.ts';

type Schema = Readonly<Record<string, unknown>>;
type Types = ReadonlySet<string> | undefined;

/** The types of the schemas inside a schema: they are needed for each value that a model writes. */
const known = new WeakMap<Schema, Map<Schema, Types>>();

/** The JSON types that a schema allows a property of an object; undefined where it leaves that open. */
export function propertyTypes(schema: Schema | undefined, property: string): Types {
  const properties = schema?.['properties'];
  if (!schema || !isJsonObject(properties) || !Object.hasOwn(properties, property)) return undefined;
  const types = known.get(schema) ?? new Map<Schema, Types>();
  known.set(schema, types);
  return new TypeFinder(schema, types).typesOf(properties[property]);
}

export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** How far references, alternatives and parts are followed. */
const MOST_STEPS = 64;

/** Finds types through references, alternatives and parts. Each schema is looked at once, also where it holds itself. */
class TypeFinder {
  readonly #root: Schema;
  readonly #known: Map<Schema, Types>;
  #steps = 0;

  constructor(root: Schema, types: Map<Schema, Types>) {
    this.#root = root;
    this.#known = types;
  }

  typesOf(schema: unknown): Types {
    if (!isJsonObject(schema) || this.#steps > MOST_STEPS) return undefined;
    if (!this.#known.has(schema)) {
      this.#steps += 1;
      this.#known.set(schema, undefined);
      this.#known.set(schema, this.#find(schema));
      this.#steps -= 1;
    }
    return this.#known.get(schema);
  }

  #find(schema: Schema): Types {
    const { type, enum: values, anyOf, oneOf, allOf, $ref: reference } = schema;
    if (typeof type === 'string') return new Set([type]);
    if (Array.isArray(type)) return new Set(type.map(String));
    if (Array.isArray(values)) return new Set(values.map(typeName));
    if ('const' in schema) return new Set([typeName(schema['const'])]);
    const parts: Types[] = [];
    if (typeof reference === 'string') parts.push(this.typesOf(this.#referred(reference)));
    for (const alternatives of [anyOf, oneOf])
      if (Array.isArray(alternatives)) parts.push(union(alternatives.map((item) => this.typesOf(item))));
    if (Array.isArray(allOf)) parts.push(...allOf.map((item) => this.typesOf(item)));
    return intersection(parts);
  }

  /** The schema at a JSON pointer into the whole one; others are not known here. */
  #referred(reference: string): unknown {
    if (reference !== '#' && !reference.startsWith('#/')) return undefined;
    let found: unknown = this.#root;
    for (const part of reference.split('/').slice(1)) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, key);
      found = isThere ? (found as Schema)[key] : undefined;
    }
    return found;
  }
}

/** What any of the alternatives allows; open where one is. */
function union(alternatives: readonly Types[]): Types {
  const all = new Set<string>();
  for (const types of alternatives) {
    if (!types) return undefined;
    for (const type of types) all.add(type);
  }
  return all;
}

/** What all parts allow; those that leave it open do not count. */
function intersection(parts: readonly Types[]): Types {
  let common: Types;
  for (const types of parts) {
    if (!types) continue;
    const before: Types = common;
    common = before ? new Set([...types].filter((type) => before.has(type))) : types;
  }
  return common;
}
