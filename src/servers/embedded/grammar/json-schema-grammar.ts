import type { JsonObject } from '../../../json-object.ts';
import { pathText } from '../../../json-schema/schema-path.ts';
import { GrammarError } from './grammar-error.ts';
import { literalText } from './grammar-text.ts';
import { jsonRules } from './json-rules.ts';
import { highest, integerRule, lowest, numberRule, stringRule, times } from './json-schema-values.ts';
import { type Alternative, innerOf, SchemaAlternatives } from './schema-alternatives.ts';
import {
  innerList,
  keywordError,
  type LocatedSchema,
  ofArrays,
  ofNumbers,
  ofObjects,
  ofStrings,
  type Part,
  propertiesOf,
  propertyParts,
  requiredOf,
  rootLocation,
  SchemaWork,
  typesOfAll,
} from './schema-part.ts';

const deepest = 64;
const mostRules = 2000;
/** llama.cpp compares the alternatives of one position with each other. */
const mostValues = 1000;
const longestGrammar = 256 * 1024;
const empty = '""';

/** A grammar for JSON that matches the schema. Throws a GrammarError that names a keyword that is not supported. */
export function jsonSchemaGrammar(schema: unknown): string {
  return new GrammarWriter(schema).write();
}

/** Turns lists of schemas that must all match into rules; undefined: no value matches them. */
class GrammarWriter {
  readonly #root: LocatedSchema;
  readonly #work = new SchemaWork();
  readonly #alternatives: SchemaAlternatives;
  readonly #rules = new Map<string, string>();
  readonly #numbers = new Map<JsonObject, number>();
  readonly #known = new Map<string, string>();
  #names = 0;
  #depth = 0;
  #length = 0;

  constructor(schema: unknown) {
    this.#root = { schema, location: rootLocation };
    this.#alternatives = new SchemaAlternatives(schema, this.#work);
  }

  write(): string {
    const root = this.#visit([this.#root]);
    if (root === undefined) throw new GrammarError('no value matches the schema');
    const rules = [...this.#rules].map(([name, body]) => `${name} ::= ${body}`);
    return [`root ::= ${root}`, ...rules, jsonRules].join('\n');
  }

  #visit(schemas: readonly LocatedSchema[]): string | undefined {
    if (++this.#depth > deepest) {
      const reason = `the schema is nested more than ${deepest} levels deep`;
      throw new GrammarError(reason, pathText(schemas[0]?.location ?? rootLocation));
    }
    const bodies = this.#alternatives
      .of(schemas)
      .map((alternative) =>
        alternative.isReferenced ? this.#named(alternative) : this.#conjunction(alternative.parts),
      );
    this.#depth -= 1;
    const body = either(bodies);
    this.#length += body?.length ?? 0;
    if (this.#length > longestGrammar)
      throw new GrammarError('the grammar of the schema is too large', pathText(schemas[0]?.location ?? rootLocation));
    return body;
  }

  /** One rule for each referenced schema, because a schema can contain itself. */
  #named({ parts }: Alternative): string | undefined {
    const key = parts
      .map(({ schema }) => this.#numberOf(schema))
      .toSorted((a, b) => a - b)
      .join();
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = this.#newName();
    this.#known.set(key, name);
    const body = this.#conjunction(parts);
    if (body !== undefined) this.#rules.set(name, body);
    else throw keywordError(parts.slice(0, 1), '$ref', 'no value matches the referenced schema');
    return name;
  }

  #numberOf(schema: JsonObject): number {
    const number = this.#numbers.get(schema) ?? this.#numbers.size;
    this.#numbers.set(schema, number);
    return number;
  }

  #conjunction(parts: readonly Part[]): string | undefined {
    const values = this.#alternatives.values.listed(parts);
    if (values && values.length > mostValues)
      throw keywordError(parts, 'enum', `more than ${mostValues} values are not supported`);
    if (values) return either(values.map((value) => literalText(JSON.stringify(value))));
    return either((typesOfAll(parts) ?? likelyTypes(parts)).map((type) => this.#typed(parts, type)));
  }

  #typed(parts: readonly Part[], type: string): string | undefined {
    switch (type) {
      case 'string':
        return stringRule(parts);
      case 'integer':
        return integerRule(parts);
      case 'number':
        return numberRule(parts);
      case 'boolean':
        return '("true" | "false")';
      case 'null':
        return '"null"';
      case 'any':
        return 'value';
      case 'array':
        return this.#array(parts);
      default:
        return this.#object(parts);
    }
  }

  #array(parts: readonly Part[]): string | undefined {
    if (parts.some(({ schema }) => schema['uniqueItems'] === true))
      throw keywordError(parts, 'uniqueItems', 'the keyword uniqueItems is not supported');
    const least = highest(parts, 'minItems') ?? 0;
    const most = lowest(parts, 'maxItems') ?? Number.POSITIVE_INFINITY;
    const first = parts.map((part) => innerList(part, 'prefixItems'));
    const longest = Math.max(0, ...first.map(({ length }) => length));
    const fixed: string[] = [];
    let limit = most;
    for (let at = 0; at < longest && at < most; at++) {
      const here = parts.flatMap((part, index) => first[index]?.[at] ?? innerOf([part], 'items'));
      const rule = this.#visit(here);
      if (rule === undefined) limit = Math.min(limit, at);
      else fixed.push(this.#rule(rule));
      if (rule === undefined) break;
    }
    const needsMore = limit > fixed.length && fixed.length <= least;
    const item = needsMore ? this.#visit(innerOf(parts, 'items')) : undefined;
    const more = item === undefined ? 0 : limit - fixed.length;
    if (least > fixed.length + more) return undefined;
    return `"[" space ${items(fixed, item === undefined ? undefined : this.#rule(item), { least, more })} space "]"`;
  }

  #object(parts: readonly Part[]): string | undefined {
    for (const keyword of ['minProperties', 'maxProperties'])
      if (parts.some(({ schema }) => keyword in schema))
        throw keywordError(parts, keyword, `the keyword ${keyword} is not supported`);
    const required = new Set(parts.flatMap((part) => requiredOf(part).map(String)));
    const names = new Set([...parts.flatMap((part) => Object.keys(propertiesOf(part))), ...required]);
    // Three rules for each.
    if (3 * names.size > mostRules)
      throw keywordError(
        parts,
        parts.some(({ schema }) => 'properties' in schema) ? 'properties' : 'required',
        'the schema is too large',
      );
    const members: (readonly [name: string, rule: string])[] = [];
    for (const name of names) {
      const rule = this.#visit(propertyParts(parts, name));
      if (rule === undefined && required.has(name)) return undefined;
      if (rule !== undefined) members.push([name, rule]);
    }
    if (members.length > 0) return `"{" space ${this.#members(members, required)} space "}"`;
    // If the schema has names, even excluded ones, only known names are safe.
    const value = names.size > 0 ? undefined : this.#visit(innerOf(parts, 'additionalProperties'));
    if (value === undefined) return '"{" space "}"';
    const pair = `string colon ${this.#rule(value)}`;
    return `"{" space (${pair} (comma ${pair})*)? space "}"`;
  }

  /** The members in their order: rules for "the rest from here", once with and once without something in front. */
  #members(members: readonly (readonly [string, string])[], required: ReadonlySet<string>): string {
    let afterOther = empty;
    let asFirst = empty;
    for (const [name, rule] of members.toReversed()) {
      const pair = this.#rule(`${literalText(JSON.stringify(name))} colon ${rule}`);
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
    if (this.#names >= mostRules) throw new GrammarError('the schema is too large');
    return `r${this.#names++}`;
  }
}

/** The items of a list: the fixed ones, then others. */
function items(
  fixed: readonly string[],
  item: string | undefined,
  { least, more }: { readonly least: number; readonly more: number },
): string {
  const before = fixed.join(' comma ');
  if (item === undefined || more === 0) return before || empty;
  const most = Number.isFinite(more) ? more : undefined;
  if (fixed.length > 0) return `${before} (comma ${item})${times(Math.max(0, least - fixed.length), most)}`;
  const several = `${item} (comma ${item})${times(Math.max(0, least - 1), most === undefined ? undefined : most - 1)}`;
  return least === 0 ? `(${several})?` : several;
}

function either(bodies: readonly (string | undefined)[]): string | undefined {
  const [first, ...others] = new Set(bodies.filter((body) => body !== undefined));
  return first === undefined || others.length === 0 ? first : `(${[first, ...others].join(' | ')})`;
}

/** Where no schema names a type, the type that their keywords are about: they say nothing of others. */
function likelyTypes(parts: readonly Part[]): readonly string[] {
  const has = (keys: readonly string[]): boolean => parts.some(({ schema }) => keys.some((key) => key in schema));
  if (has(ofObjects)) return ['object'];
  if (has(ofArrays)) return ['array'];
  if (has(ofStrings)) return ['string'];
  return has(ofNumbers) ? ['number'] : ['any'];
}
