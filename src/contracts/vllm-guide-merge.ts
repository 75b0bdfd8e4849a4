import { commonTypes } from '../json-schema/values.ts';

type Json = Readonly<Record<string, unknown>>;

/** Two schemas that hold for the same value as one. */
export interface MergedSchema {
  /** Undefined where no value satisfies both. */
  readonly schema: Json | undefined;
  /** Whether nothing of either was left out. */
  readonly isExact: boolean;
}

const larger = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const smaller = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);
const annotations = new Set(['title', 'description', 'default', 'examples', '$defs', 'definitions', '$schema', '$id']);

/** Both schemas as one, without looking into those that they hold: these become an `allOf`. */
export function mergeSchemas(first: Json, second: Json): MergedSchema {
  const schema: Record<string, unknown> = { ...first };
  let isExact = !closesOthers(first, second);
  for (const [keyword, value] of Object.entries(second)) {
    const own = schema[keyword];
    if (own === undefined) schema[keyword] = value;
    else if (annotations.has(keyword) || sameJson(own, value)) continue;
    else if (keyword === '$ref') schema['allOf'] = [...listOf(schema['allOf']), { $ref: value }];
    else {
      const both = mergeKeyword(keyword, own, value);
      if (both === 'none') return { schema: undefined, isExact: true };
      if (both) schema[keyword] = both.value;
      else isExact = false;
    }
  }
  return { schema, isExact };
}

/** One value of a keyword for two; undefined where the keyword cannot have both. */
function mergeKeyword(keyword: string, own: unknown, value: unknown): { readonly value: unknown } | 'none' | undefined {
  if (larger.has(keyword)) return { value: Math.max(own as number, value as number) };
  if (smaller.has(keyword)) return { value: Math.min(own as number, value as number) };
  switch (keyword) {
    case 'type': {
      const types = commonTypes(namesOf(own), namesOf(value));
      return types.length === 0 ? 'none' : { value: types };
    }
    case 'enum':
      return { value: commonValues(listOf(own), listOf(value)) };
    case 'const':
      return 'none';
    case 'required':
      return { value: [...new Set([...listOf(own), ...listOf(value)])] };
    case 'allOf':
      return { value: [...listOf(own), ...listOf(value)] };
    case 'properties':
      return { value: mergeProperties(own as Json, value as Json) };
    case 'items':
    case 'additionalProperties':
      return Array.isArray(own) || Array.isArray(value) ? undefined : { value: mergeInner(own, value) };
    default:
      return undefined;
  }
}

function commonValues(own: readonly unknown[], other: readonly unknown[]): unknown[] {
  const texts = new Set(other.map((value) => JSON.stringify(value)));
  return own.filter((value) => texts.has(JSON.stringify(value)));
}

function mergeProperties(own: Json, other: Json): Json {
  const merged = new Map(Object.entries(own));
  for (const [name, schema] of Object.entries(other))
    merged.set(name, merged.has(name) ? mergeInner(merged.get(name), schema) : schema);
  return Object.fromEntries(merged);
}

function mergeInner(own: unknown, other: unknown): unknown {
  if (own === true || other === false) return other;
  if (other === true || own === false) return own;
  return { allOf: [own, other] };
}

/** Whether one of them forbids properties that only the other names: together they would be allowed. */
function closesOthers(first: Json, second: Json): boolean {
  return closes(first, second) || closes(second, first);
}

function closes({ additionalProperties, properties = {} }: Json, other: Json): boolean {
  if (additionalProperties === undefined || additionalProperties === true) return false;
  return Object.keys(other['properties'] ?? {}).some((name) => !Object.hasOwn(properties as Json, name));
}

function namesOf(types: unknown): readonly string[] {
  return [types].flat() as string[];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function sameJson(first: unknown, second: unknown): boolean {
  return first === second || JSON.stringify(first) === JSON.stringify(second);
}
