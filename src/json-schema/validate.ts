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
    const message = new Validation(schema).fault(schema, value, '$');
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
type Fault = string | undefined;

/** Validates one value; returns the first error or undefined. */
class Validation {
  readonly #root: Schema;
  readonly #patterns = new Map<string, RegExp>();
  readonly #references = new Map<string, Schema>();
  #steps = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  fault(schema: Schema, value: unknown, place: string): Fault {
    if (++this.#steps > mostSteps) throw new OutOfSteps();
    if (schema === true) return undefined;
    if (schema === false) return `${place} is not allowed`;
    return (
      this.#plain(schema, value, place) ??
      (typeof value === 'string' ? this.#text(schema, value, place) : undefined) ??
      (typeof value === 'number' ? numberFault(schema, value, place) : undefined) ??
      (Array.isArray(value) ? this.#list(schema, value, place) : undefined) ??
      (isJsonObject(value) ? this.#object(schema, value, place) : undefined) ??
      this.#combined(schema, value, place)
    );
  }

  #isValid(schema: Schema, value: unknown, place: string): boolean {
    return this.fault(schema, value, place) === undefined;
  }

  #plain(schema: SchemaObject, value: unknown, place: string): Fault {
    const { type, enum: values } = schema;
    const allowed = type === undefined ? undefined : ([type].flat() as string[]);
    if (allowed && !typesOf(value).some((each) => allowed.includes(each)))
      return `${place} must be of type ${allowed.join(' or ')}`;
    if (Object.hasOwn(schema, 'const') && canonical(schema['const']) !== canonical(value))
      return `${place} must be ${shown(schema['const'])}`;
    if (!Array.isArray(values)) return undefined;
    this.#steps += values.length;
    const wanted = canonical(value);
    return values.some((each) => canonical(each) === wanted) ? undefined : `${place} must be one of ${shown(values)}`;
  }

  #text(schema: SchemaObject, value: string, place: string): Fault {
    const { minLength, maxLength, pattern } = schema;
    if (typeof minLength === 'number' && lengthOf(value) < minLength)
      return `${place} must have ${minLength} characters or more`;
    if (typeof maxLength === 'number' && lengthOf(value) > maxLength)
      return `${place} must have at most ${maxLength} characters`;
    if (typeof pattern === 'string' && !this.#pattern(pattern).test(value))
      return `${place} must match the pattern ${shown(pattern)}`;
    return undefined;
  }

  #list(schema: SchemaObject, value: readonly unknown[], place: string): Fault {
    const { minItems, maxItems, uniqueItems } = schema;
    if (typeof minItems === 'number' && value.length < minItems) return `${place} must have at least ${minItems} items`;
    if (typeof maxItems === 'number' && value.length > maxItems) return `${place} must have at most ${maxItems} items`;
    if (uniqueItems === true && new Set(value.map(canonical)).size < value.length)
      return `${place} must not contain an item twice`;
    const [first, others] = itemSchemas(schema);
    for (const [at, item] of value.entries()) {
      const fault = this.fault(first[at] ?? others, item, `${place}[${at}]`);
      if (fault !== undefined) return fault;
    }
    return this.#contained(schema, value, place);
  }

  #contained(schema: SchemaObject, value: readonly unknown[], place: string): Fault {
    const { contains, minContains = 1, maxContains = Number.POSITIVE_INFINITY } = schema;
    if (contains === undefined) return undefined;
    const count = value.filter((item) => this.#isValid(contains as Schema, item, place)).length;
    const isRight = count >= (minContains as number) && count <= (maxContains as number);
    return isRight ? undefined : `${place} has ${count} items that match contains`;
  }

  #object(schema: SchemaObject, value: Readonly<Record<string, unknown>>, place: string): Fault {
    const keys = Object.keys(value);
    const { minProperties, maxProperties, required } = schema;
    if (typeof minProperties === 'number' && keys.length < minProperties)
      return `${place} must have ${minProperties} properties or more`;
    if (typeof maxProperties === 'number' && keys.length > maxProperties)
      return `${place} must have at most ${maxProperties} properties`;
    const missing = missingOf(required, value);
    if (missing !== undefined) return `${place} must have the property ${shown(missing)}`;
    for (const key of keys) {
      const fault = this.#property(schema, key, value[key], `${place}.${key}`);
      if (fault !== undefined) return fault;
    }
    return this.#dependent(schema, value, place);
  }

  #property(schema: SchemaObject, key: string, value: unknown, place: string): Fault {
    const { properties, patternProperties, additionalProperties, propertyNames } = schema as Record<string, object>;
    const applied: Schema[] = [];
    if (properties && Object.hasOwn(properties, key))
      applied.push((properties as Record<string, Schema>)[key] as Schema);
    for (const [pattern, each] of Object.entries(patternProperties ?? {}))
      if (this.#pattern(pattern).test(key)) applied.push(each as Schema);
    if (applied.length === 0 && additionalProperties !== undefined) applied.push(additionalProperties as Schema);
    for (const each of applied) {
      const fault = this.fault(each, value, place);
      if (fault !== undefined) return fault;
    }
    return propertyNames === undefined ? undefined : this.fault(propertyNames as Schema, key, `the name of ${place}`);
  }

  #dependent(schema: SchemaObject, value: Readonly<Record<string, unknown>>, place: string): Fault {
    const { dependentRequired, dependentSchemas } = schema as Record<string, Record<string, unknown>>;
    for (const [key, names] of Object.entries(dependentRequired ?? {})) {
      const missing = Object.hasOwn(value, key) ? missingOf(names, value) : undefined;
      if (missing !== undefined) return `${place} must have the property ${shown(missing)}`;
    }
    for (const [key, each] of Object.entries(dependentSchemas ?? {})) {
      const fault = Object.hasOwn(value, key) ? this.fault(each as Schema, value, place) : undefined;
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #combined(schema: SchemaObject, value: unknown, place: string): Fault {
    const { $ref, allOf, anyOf, oneOf, not, if: condition } = schema;
    const isValid = (each: unknown): boolean => this.#isValid(each as Schema, value, place);
    if (typeof $ref === 'string') {
      const fault = this.fault(this.#referenced($ref), value, place);
      if (fault !== undefined) return fault;
    }
    for (const each of listOf(allOf)) {
      const fault = this.fault(each, value, place);
      if (fault !== undefined) return fault;
    }
    if (anyOf !== undefined && !listOf(anyOf).some(isValid))
      return `${place} must match at least one of the schemas in anyOf`;
    if (oneOf !== undefined && listOf(oneOf).filter(isValid).length !== 1)
      return `${place} must match exactly one of the schemas in oneOf`;
    if (not !== undefined && isValid(not)) return `${place} is not allowed`;
    if (condition === undefined) return undefined;
    const next = isValid(condition) ? schema['then'] : schema['else'];
    return next === undefined ? undefined : this.fault(next as Schema, value, place);
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

function numberFault(schema: SchemaObject, value: number, place: string): Fault {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<string, number>;
  if (minimum !== undefined && value < minimum) return `${place} must be ${minimum} or more`;
  if (maximum !== undefined && value > maximum) return `${place} must be at most ${maximum}`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return `${place} must be more than ${exclusiveMinimum}`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    return `${place} must be less than ${exclusiveMaximum}`;
  if (multipleOf === undefined) return undefined;
  const times = value / multipleOf;
  // 0.3 is a multiple of 0.1, but not in binary.
  const isMultiple = Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times));
  return isMultiple ? undefined : `${place} must be a multiple of ${multipleOf}`;
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

const longestShown = 80;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}
