import { literalText } from './character-set.ts';
import { jsonRules } from './json-rules.ts';
import { bound, integerRule, list, numberRule, type Schema, stringRule, times } from './json-schema-values.ts';
import { GrammarError } from './regex-grammar.ts';

/** Keywords that describe and do not bind. */
const silent = new Set([
  '$schema',
  '$id',
  '$comment',
  '$anchor',
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'examples',
  'example',
  'deprecated',
  'readOnly',
  'writeOnly',
  'strict',
  'discriminator',
  'contentMediaType',
  'contentEncoding',
]);

const ofStrings = ['minLength', 'maxLength', 'pattern', 'format'];
const ofNumbers = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const ofArrays = ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'];
const ofObjects = ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'];
const understood = new Set([
  'type',
  'nullable',
  'enum',
  'const',
  'anyOf',
  'oneOf',
  'allOf',
  '$ref',
  ...ofStrings,
  ...ofNumbers,
  ...ofArrays,
  ...ofObjects,
]);

const deepest = 64;
const mostRules = 4000;
const everyType = ['object', 'array', 'string', 'number', 'boolean', 'null'];

/** A grammar whose texts are JSON that the schema accepts. Throws a GrammarError that names the keyword it cannot honour. */
export function jsonSchemaGrammar(schema: unknown): string {
  return new SchemaReader(schema).read();
}

class SchemaReader {
  readonly #root: unknown;
  readonly #rules = new Map<string, string>();
  readonly #references = new Map<string, string>();
  #depth = 0;

  constructor(schema: unknown) {
    this.#root = schema;
  }

  read(): string {
    const root = this.#visit(this.#root);
    const rules = [...this.#rules].map(([name, body]) => `${name} ::= ${body}`);
    return [`root ::= ${root}`, ...rules, jsonRules].join('\n');
  }

  #visit(given: unknown): string {
    if (given === true) return 'value';
    if (given === false) throw new GrammarError('the schema false accepts nothing');
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw new GrammarError('a schema must be an object or a boolean');
    if (++this.#depth > deepest) throw new GrammarError(`the schema is nested more than ${deepest} levels deep`);
    const schema = given as Schema;
    for (const key of Object.keys(schema))
      if (!understood.has(key) && !silent.has(key)) throw new GrammarError(`the keyword ${key} is not supported`);
    const body = this.#body(schema);
    this.#depth -= 1;
    return schema['nullable'] === true ? `(${body} | "null")` : body;
  }

  #body(schema: Schema): string {
    if ('$ref' in schema) return this.#reference(schema['$ref']);
    if ('const' in schema) return literalText(JSON.stringify(schema['const']));
    if ('enum' in schema) return this.#enumeration(schema['enum']);
    const choices = schema['anyOf'] ?? schema['oneOf'];
    if (choices !== undefined) return this.#anyOf(schema, choices);
    if ('allOf' in schema) return this.#visit(merged(schema, list(schema['allOf'], 'allOf')));
    const types = typesOf(schema);
    return types.length === 1
      ? this.#typed(schema, types[0])
      : `(${types.map((type) => this.#typed(schema, type)).join(' | ')})`;
  }

  #anyOf(schema: Schema, choices: unknown): string {
    const { anyOf: _, oneOf: __, ...rest } = schema;
    const isAlone = Object.keys(rest).every((key) => silent.has(key) || key === 'nullable' || key === 'type');
    const all = list(choices, 'anyOf').map((choice) => this.#visit(isAlone ? choice : merged(rest, [choice])));
    return this.#rule(all.join(' | '));
  }

  #enumeration(values: unknown): string {
    return `(${list(values, 'enum')
      .map((value) => literalText(JSON.stringify(value)))
      .join(' | ')})`;
  }

  #reference(reference: unknown): string {
    if (typeof reference !== 'string' || !reference.startsWith('#'))
      throw new GrammarError(`$ref ${String(reference)} is not inside the schema`);
    const known = this.#references.get(reference);
    if (known !== undefined) return known;
    let target: unknown = this.#root;
    for (const part of reference.split('/').slice(1)) {
      const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      target = typeof target === 'object' && target !== null ? (target as Schema)[key] : undefined;
    }
    if (target === undefined) throw new GrammarError(`$ref ${reference} points to nothing`);
    const name = this.#newName();
    this.#references.set(reference, name);
    const depth = this.#depth;
    this.#rules.set(name, this.#visit(target));
    this.#depth = depth;
    return name;
  }

  #typed(schema: Schema, type: unknown): string {
    switch (type) {
      case 'string':
        return stringRule(schema);
      case 'integer':
        return integerRule(schema);
      case 'number':
        return numberRule(schema);
      case 'boolean':
        return '("true" | "false")';
      case 'null':
        return '"null"';
      case 'array':
        return this.#array(schema);
      case 'object':
        return this.#object(schema);
      default:
        throw new GrammarError(`type ${String(type)} is not one of JSON's`);
    }
  }

  #array(schema: Schema): string {
    if (schema['uniqueItems'] === true) throw new GrammarError('the keyword uniqueItems is not supported');
    const first = 'prefixItems' in schema ? list(schema['prefixItems'], 'prefixItems') : [];
    const least = bound(schema, 'minItems') ?? 0;
    const most = bound(schema, 'maxItems');
    if (most !== undefined && most < least) throw new GrammarError('maxItems is less than minItems');
    const fixed = first.slice(0, most).map((item) => this.#visit(item));
    const more = schema['items'] === false ? 0 : most === undefined ? undefined : most - fixed.length;
    if (more === 0 || fixed.length > least) {
      if (least > fixed.length) throw new GrammarError('minItems is more than the items that there may be');
      return fixed.length === 0 ? '"[" space "]"' : `"[" space ${fixed.join(' comma ')} space "]"`;
    }
    const item = this.#rule(this.#visit(schema['items'] ?? true));
    const leastMore = least - fixed.length;
    if (fixed.length > 0)
      return `"[" space ${fixed.join(' comma ')} (comma ${item})${times(leastMore, more)} space "]"`;
    const several = `${item} (comma ${item})${times(Math.max(0, least - 1), more === undefined ? undefined : more - 1)}`;
    return least === 0 ? `"[" space (${several})? space "]"` : `"[" space ${several} space "]"`;
  }

  #object(schema: Schema): string {
    const properties = Object.entries((schema['properties'] ?? {}) as Schema);
    const required = new Set('required' in schema ? list(schema['required'], 'required') : []);
    for (const name of required)
      if (!properties.some(([key]) => key === name)) properties.push([String(name), additional(schema) ?? true]);
    for (const key of ['minProperties', 'maxProperties'])
      if (key in schema) throw new GrammarError(`the keyword ${key} is not supported`);
    if (properties.length === 0) {
      const value = additional(schema);
      if (value === undefined) return '"{" space "}"';
      const pair = `string colon ${this.#rule(this.#visit(value))}`;
      return `"{" space (${pair} (comma ${pair})*)? space "}"`;
    }
    return `"{" space ${this.#members(properties, required)} space "}"`;
  }

  /** The members in their order: rules for "the rest from here", once with and once without something in front. */
  #members(properties: readonly (readonly [string, unknown])[], required: ReadonlySet<unknown>): string {
    let afterOther = '""';
    let asFirst = '""';
    for (const [name, schema] of properties.toReversed()) {
      const pair = this.#rule(`${literalText(JSON.stringify(name))} colon ${this.#visit(schema)}`);
      const isRequired = required.has(name);
      const nextFirst = isRequired ? `${pair} ${afterOther}` : `(${pair} ${afterOther} | ${asFirst})`;
      const nextOther = isRequired ? `comma ${pair} ${afterOther}` : `(comma ${pair} ${afterOther} | ${afterOther})`;
      asFirst = this.#rule(nextFirst);
      afterOther = this.#rule(nextOther);
    }
    return asFirst;
  }

  #rule(body: string): string {
    const name = this.#newName();
    this.#rules.set(name, body);
    return name;
  }

  #newName(): string {
    if (this.#rules.size + this.#references.size >= mostRules) throw new GrammarError('the schema is too large');
    return `r${this.#rules.size + this.#references.size}`;
  }
}

function typesOf(schema: Schema): readonly unknown[] {
  if (schema['type'] !== undefined) return Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  const has = (keys: readonly string[]): boolean => keys.some((key) => key in schema);
  if (has(ofObjects)) return ['object'];
  if (has(ofArrays)) return ['array'];
  if (has(ofStrings)) return ['string'];
  return has(ofNumbers) ? ['number'] : everyType;
}

function additional(schema: Schema): unknown {
  const given = schema['additionalProperties'] ?? true;
  return given === false ? undefined : given;
}

/** One schema that says what all of them say, where they say different things. */
function merged(base: Schema, others: readonly unknown[]): Schema {
  const result: Record<string, unknown> = { ...base };
  delete result['allOf'];
  for (const other of others) {
    if (typeof other !== 'object' || other === null || '$ref' in other)
      throw new GrammarError('the keyword allOf is supported for plain objects only');
    for (const [key, value] of Object.entries(other)) result[key] = mergedValue(key, result[key], value);
  }
  return result;
}

function mergedValue(key: string, before: unknown, value: unknown): unknown {
  if (before === undefined || silent.has(key)) return value;
  if (key === 'properties') return { ...(before as Schema), ...(value as Schema) };
  if (key === 'required') return [...new Set([...list(before, key), ...list(value, key)])];
  if (JSON.stringify(before) === JSON.stringify(value)) return value;
  throw new GrammarError(`the keyword ${key} differs between the parts of allOf or anyOf`);
}
