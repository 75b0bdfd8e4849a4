import { isJsonObject } from '../../../json-object.ts';
import { canonical, typesOf } from '../../../json-schema/values.ts';
import {
  checkKeywords,
  inner,
  innerList,
  keywordError,
  type LocatedSchema,
  namedTypes,
  type Part,
  propertiesOf,
  requiredOf,
  type SchemaWork,
} from './schema-part.ts';

/** Checks the values of `enum` and `const` against the other keywords of their schemas. */
export class SchemaValues {
  readonly #target: (part: Part) => LocatedSchema;
  readonly #work: SchemaWork;
  readonly #sets = new Map<unknown, ReadonlySet<string>>();

  constructor(target: (part: Part) => LocatedSchema, work: SchemaWork) {
    this.#target = target;
    this.#work = work;
  }

  /** The listed values that match all schemas; undefined: they list none. */
  listed(parts: readonly Part[]): readonly unknown[] | undefined {
    const owner = parts.find(({ schema }) => 'const' in schema) ?? parts.find(({ schema }) => 'enum' in schema);
    if (!owner) return undefined;
    const values = 'const' in owner.schema ? [owner.schema['const']] : owner.schema['enum'];
    if (!Array.isArray(values) || values.length === 0)
      throw keywordError([owner], 'enum', 'must be an array with at least one value');
    return values.filter((value) => parts.every((part) => this.isPlainlyValid(part, value)));
  }

  /** Whether a value matches a schema, without its references and choices. */
  isPlainlyValid(part: Part, value: unknown): boolean {
    this.#work.add(1);
    const { schema } = part;
    const types = namedTypes(part);
    if (types && !typesOf(value).some((type) => types.includes(type))) return false;
    if ('const' in schema && canonical(schema['const']) !== canonical(value)) return false;
    if ('enum' in schema && !this.#set(schema['enum']).has(canonical(value))) return false;
    if (typeof value === 'string') return this.#isText(part, value);
    if (typeof value === 'number') return this.#isNumber(part, value);
    if (Array.isArray(value)) return this.#isList(part, value);
    return isJsonObject(value) ? this.#isObject(part, value) : true;
  }

  #isValid({ schema, location }: LocatedSchema, value: unknown): boolean {
    if (typeof schema === 'boolean') return schema;
    const part = { schema, location } as Part;
    checkKeywords(part);
    if (!this.isPlainlyValid(part, value)) return false;
    if ('$ref' in part.schema && !this.#isValid(this.#target(part), value)) return false;
    const matches = (keyword: string): number =>
      innerList(part, keyword).filter((each) => this.#isValid(each, value)).length;
    if ('allOf' in part.schema && matches('allOf') < innerList(part, 'allOf').length) return false;
    if ('anyOf' in part.schema && matches('anyOf') === 0) return false;
    return !('oneOf' in part.schema) || matches('oneOf') === 1;
  }

  #set(values: unknown): ReadonlySet<string> {
    let set = this.#sets.get(values);
    if (!set) {
      const all = Array.isArray(values) ? values : [];
      this.#work.add(all.length);
      set = new Set(all.map(canonical));
      this.#sets.set(values, set);
    }
    return set;
  }

  #isText(part: Part, value: string): boolean {
    if ('pattern' in part.schema) throw keywordError([part], 'pattern', 'is not supported together with enum or const');
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = part.schema as Record<string, number>;
    if (!('minLength' in part.schema) && !('maxLength' in part.schema)) return true;
    const length = Array.from(value).length;
    this.#work.add(length);
    return length >= minLength && length <= maxLength;
  }

  #isNumber(part: Part, value: number): boolean {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = part.schema as Record<string, number>;
    if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) return false;
    return (
      value >= (minimum ?? value) &&
      value <= (maximum ?? value) &&
      (exclusiveMinimum === undefined || value > exclusiveMinimum) &&
      (exclusiveMaximum === undefined || value < exclusiveMaximum)
    );
  }

  #isList(part: Part, value: readonly unknown[]): boolean {
    const { minItems, maxItems, uniqueItems } = part.schema as Record<string, number>;
    if (value.length < (minItems ?? 0) || value.length > (maxItems ?? value.length)) return false;
    if (uniqueItems && new Set(value.map(canonical)).size < value.length) return false;
    const first = innerList(part, 'prefixItems');
    const rest = 'items' in part.schema ? inner(part, 'items') : undefined;
    return value.every((item, at) => {
      const itemSchema = first[at] ?? rest;
      return itemSchema === undefined || this.#isValid(itemSchema, item);
    });
  }

  #isObject(part: Part, value: Readonly<Record<string, unknown>>): boolean {
    const keys = Object.keys(value);
    const { minProperties, maxProperties } = part.schema as Record<string, number>;
    if (keys.length < (minProperties ?? 0) || keys.length > (maxProperties ?? keys.length)) return false;
    const required = requiredOf(part);
    this.#work.add(required.length);
    if (!required.every((name) => Object.hasOwn(value, String(name)))) return false;
    return keys.every((key) => {
      if (Object.hasOwn(propertiesOf(part), key)) return this.#isValid(inner(part, 'properties', key), value[key]);
      return !('additionalProperties' in part.schema) || this.#isValid(inner(part, 'additionalProperties'), value[key]);
    });
  }
}
