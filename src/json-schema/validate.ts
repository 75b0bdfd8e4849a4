import { isJsonObject } from '../json-object.ts';
import { inJavaScript } from './pattern.ts';
import { referenced, type Schema } from './references.ts';
import { canonical, lengthOf, typesOf } from './values.ts';

/** The result of a validation. */
export type Verdict =
  | { readonly kind: 'valid' }
  /** The error with its path: `$.a[0]`. */
  | { readonly kind: 'invalid'; readonly message: string }
  /** The validation would take too long. */
  | { readonly kind: 'undecided'; readonly message: string };

/** The maximum number of schema applications per value: references can multiply them without end. */
const mostSteps = 1_000_000;

const judged = new Set(
  `type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern items
  additionalItems prefixItems contains minContains maxContains minItems maxItems uniqueItems properties patternProperties
  additionalProperties propertyNames required dependentRequired dependentSchemas minProperties maxProperties allOf anyOf
  oneOf not if then else $ref`.split(/\s+/),
);

/** Annotations that do not affect validation; `format` is one by default in the standard. */
const remarks = new Set(
  `$schema $id $comment $defs definitions title description default examples deprecated readOnly writeOnly format
  contentEncoding contentMediaType`.split(/\s+/),
);

/** Whether validation supports this keyword. */
export function isJudged(keyword: string): boolean {
  return judged.has(keyword) || remarks.has(keyword);
}

/** Validates a value against a schema that passed `checkSchema`. It runs patterns: do not call it on the event loop. */
export function validate(schema: Schema, value: unknown): Verdict {
  try {
    const message = new Validation(schema).firstError(schema, value, '$');
    return message === undefined ? { kind: 'valid' } : { kind: 'invalid', message };
  } catch (error) {
    if (error instanceof OutOfSteps)
      return { kind: 'undecided', message: 'takes too long to check a response against.' };
    // The stack limits the nesting depth of a value.
    if (error instanceof RangeError) return { kind: 'invalid', message: '$ is nested too deeply' };
    throw error;
  }
}

class OutOfSteps extends Error {}

type SchemaObject = Exclude<Schema, boolean>;
type ErrorText = string | undefined;

/** Validates one value; returns the first error or undefined. */
class Validation {
  readonly #root: Schema;
  readonly #patterns = new Map<string, RegExp>();
  readonly #references = new Map<string, Schema>();
  #steps = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  firstError(schema: Schema, value: unknown, path: string): ErrorText {
    if (++this.#steps > mostSteps) throw new OutOfSteps();
    if (schema === true) return undefined;
    if (schema === false) return `${path} is not allowed`;
    return (
      this.#plain(schema, value, path) ??
      (typeof value === 'string' ? this.#text(schema, value, path) : undefined) ??
      (typeof value === 'number' ? numberError(schema, value, path) : undefined) ??
      (Array.isArray(value) ? this.#list(schema, value, path) : undefined) ??
      (isJsonObject(value) ? this.#object(schema, value, path) : undefined) ??
      this.#combined(schema, value, path)
    );
  }

  #isValid(schema: Schema, value: unknown, path: string): boolean {
    return this.firstError(schema, value, path) === undefined;
  }

  #plain(schema: SchemaObject, value: unknown, path: string): ErrorText {
    const { type, enum: values } = schema;
    const allowed = type === undefined ? undefined : ([type].flat() as string[]);
    if (allowed && !typesOf(value).some((each) => allowed.includes(each)))
      return `${path} must be of type ${allowed.join(' or ')}`;
    if (Object.hasOwn(schema, 'const') && canonical(schema['const']) !== canonical(value))
      return `${path} must be ${displayText(schema['const'])}`;
    if (!Array.isArray(values)) return undefined;
    this.#steps += values.length;
    const expected = canonical(value);
    return values.some((each) => canonical(each) === expected)
      ? undefined
      : `${path} must be one of ${displayText(values)}`;
  }

  #text(schema: SchemaObject, value: string, path: string): ErrorText {
    const { minLength, maxLength, pattern } = schema;
    if (typeof minLength === 'number' && lengthOf(value) < minLength)
      return `${path} must have ${minLength} characters or more`;
    if (typeof maxLength === 'number' && lengthOf(value) > maxLength)
      return `${path} must have at most ${maxLength} characters`;
    if (typeof pattern === 'string' && !this.#pattern(pattern).test(value))
      return `${path} must match the pattern ${displayText(pattern)}`;
    return undefined;
  }

  #list(schema: SchemaObject, value: readonly unknown[], path: string): ErrorText {
    const { minItems, maxItems, uniqueItems } = schema;
    if (typeof minItems === 'number' && value.length < minItems) return `${path} must have at least ${minItems} items`;
    if (typeof maxItems === 'number' && value.length > maxItems) return `${path} must have at most ${maxItems} items`;
    if (uniqueItems === true && new Set(value.map(canonical)).size < value.length)
      return `${path} must not contain an item twice`;
    const [first, others] = itemSchemas(schema);
    for (const [at, item] of value.entries()) {
      const firstError = this.firstError(first[at] ?? others, item, `${path}[${at}]`);
      if (firstError !== undefined) return firstError;
    }
    return this.#contained(schema, value, path);
  }

  #contained(schema: SchemaObject, value: readonly unknown[], path: string): ErrorText {
    const { contains, minContains = 1, maxContains = Number.POSITIVE_INFINITY } = schema;
    if (contains === undefined) return undefined;
    const count = value.filter((item) => this.#isValid(contains as Schema, item, path)).length;
    const isRight = count >= (minContains as number) && count <= (maxContains as number);
    return isRight ? undefined : `${path} has ${count} items that match contains`;
  }

  #object(schema: SchemaObject, value: Readonly<Record<string, unknown>>, path: string): ErrorText {
    const keys = Object.keys(value);
    const { minProperties, maxProperties, required } = schema;
    if (typeof minProperties === 'number' && keys.length < minProperties)
      return `${path} must have ${minProperties} properties or more`;
    if (typeof maxProperties === 'number' && keys.length > maxProperties)
      return `${path} must have at most ${maxProperties} properties`;
    const missing = missingOf(required, value);
    if (missing !== undefined) return `${path} must have the property ${displayText(missing)}`;
    for (const key of keys) {
      const firstError = this.#property(schema, key, value[key], `${path}.${key}`);
      if (firstError !== undefined) return firstError;
    }
    return this.#dependent(schema, value, path);
  }

  #property(schema: SchemaObject, key: string, value: unknown, path: string): ErrorText {
    const { properties, patternProperties, additionalProperties, propertyNames } = schema as Record<string, object>;
    const applied: Schema[] = [];
    if (properties && Object.hasOwn(properties, key))
      applied.push((properties as Record<string, Schema>)[key] as Schema);
    for (const [pattern, each] of Object.entries(patternProperties ?? {}))
      if (this.#pattern(pattern).test(key)) applied.push(each as Schema);
    if (applied.length === 0 && additionalProperties !== undefined) applied.push(additionalProperties as Schema);
    for (const each of applied) {
      const firstError = this.firstError(each, value, path);
      if (firstError !== undefined) return firstError;
    }
    return propertyNames === undefined
      ? undefined
      : this.firstError(propertyNames as Schema, key, `the name of ${path}`);
  }

  #dependent(schema: SchemaObject, value: Readonly<Record<string, unknown>>, path: string): ErrorText {
    const { dependentRequired, dependentSchemas } = schema as Record<string, Record<string, unknown>>;
    for (const [key, names] of Object.entries(dependentRequired ?? {})) {
      const missing = Object.hasOwn(value, key) ? missingOf(names, value) : undefined;
      if (missing !== undefined) return `${path} must have the property ${displayText(missing)}`;
    }
    for (const [key, each] of Object.entries(dependentSchemas ?? {})) {
      const firstError = Object.hasOwn(value, key) ? this.firstError(each as Schema, value, path) : undefined;
      if (firstError !== undefined) return firstError;
    }
    return undefined;
  }

  #combined(schema: SchemaObject, value: unknown, path: string): ErrorText {
    const { $ref, allOf, anyOf, oneOf, not, if: condition } = schema;
    const isValid = (each: unknown): boolean => this.#isValid(each as Schema, value, path);
    if (typeof $ref === 'string') {
      const firstError = this.firstError(this.#referenced($ref), value, path);
      if (firstError !== undefined) return firstError;
    }
    for (const each of listOf(allOf)) {
      const firstError = this.firstError(each, value, path);
      if (firstError !== undefined) return firstError;
    }
    if (anyOf !== undefined && !listOf(anyOf).some(isValid))
      return `${path} must match at least one of the schemas in anyOf`;
    if (oneOf !== undefined && listOf(oneOf).filter(isValid).length !== 1)
      return `${path} must match exactly one of the schemas in oneOf`;
    if (not !== undefined && isValid(not)) return `${path} is not allowed`;
    if (condition === undefined) return undefined;
    const next = isValid(condition) ? schema['then'] : schema['else'];
    return next === undefined ? undefined : this.firstError(next as Schema, value, path);
  }

  #pattern(source: string): RegExp {
    let pattern = this.#patterns.get(source);
    if (!pattern) {
      pattern = patternOf(source);
      this.#patterns.set(source, pattern);
    }
    return pattern;
  }

  #referenced(reference: string): Schema {
    let schema = this.#references.get(reference);
    if (schema === undefined) {
      schema = referenced(this.#root, reference) ?? true;
      this.#references.set(reference, schema);
    }
    return schema;
  }
}

/** The standard requires the flag u, but many patterns contain escapes that it forbids. */
export function patternOf(source: string): RegExp {
  const pattern = inJavaScript(source);
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

function numberError(schema: SchemaObject, value: number, path: string): ErrorText {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<string, number>;
  if (minimum !== undefined && value < minimum) return `${path} must be ${minimum} or more`;
  if (maximum !== undefined && value > maximum) return `${path} must be at most ${maximum}`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return `${path} must be more than ${exclusiveMinimum}`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    return `${path} must be less than ${exclusiveMaximum}`;
  if (multipleOf === undefined) return undefined;
  const times = value / multipleOf;
  // 0.3 is a multiple of 0.1, but not in binary.
  const isMultiple = Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times));
  return isMultiple ? undefined : `${path} must be a multiple of ${multipleOf}`;
}

/** The schemas of the first items, and of the others; older drafts have the first ones in `items`. */
function itemSchemas({ items, prefixItems, additionalItems }: SchemaObject): [readonly Schema[], Schema] {
  if (Array.isArray(items)) return [items as Schema[], (additionalItems ?? true) as Schema];
  return [listOf(prefixItems), (items ?? true) as Schema];
}

function missingOf(required: unknown, value: object): string | undefined {
  return (required as readonly string[] | undefined)?.find((name) => !Object.hasOwn(value, name));
}

function listOf(schemas: unknown): readonly Schema[] {
  return Array.isArray(schemas) ? schemas : [];
}

const longestDisplay = 80;

function displayText(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > longestDisplay ? `${text.slice(0, longestDisplay)}…` : text;
}
