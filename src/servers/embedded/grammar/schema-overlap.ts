import { canonical, commonTypes, typesOf } from '../../../json-schema/values.ts';
import {
  type LocatedSchema,
  type Part,
  propertiesOf,
  propertyParts,
  requiredOf,
  type SchemaWork,
  typesOfAll,
} from './schema-part.ts';
import type { SchemaValues } from './schema-value-check.ts';

type Conjunction = readonly Part[];

interface Facts {
  readonly types: readonly string[] | undefined;
  readonly values: readonly unknown[] | undefined;
  readonly texts: ReadonlySet<string>;
  readonly required: readonly string[];
}

/** Finds out which schemas no value can match at the same time. */
export class SchemaOverlap {
  readonly #values: SchemaValues;
  readonly #plainParts: (schemas: readonly LocatedSchema[]) => Conjunction;
  readonly #work: SchemaWork;
  readonly #facts = new Map<Conjunction, Facts>();
  readonly #properties = new Map<Conjunction, Map<string, Conjunction>>();

  constructor(values: SchemaValues, plainParts: (schemas: readonly LocatedSchema[]) => Conjunction, work: SchemaWork) {
    this.#values = values;
    this.#plainParts = plainParts;
    this.#work = work;
  }

  /** Whether no value matches two of the branches, each of which has alternatives. */
  areApart(branches: readonly (readonly Conjunction[])[]): boolean {
    return branches.every((branch, at) =>
      branches.slice(at + 1).every((other) => branch.every((one) => other.every((two) => this.#isApart(one, two)))),
    );
  }

  #isApart(one: Conjunction, two: Conjunction): boolean {
    this.#work.add(1);
    const [first, second] = [this.#factsOf(one), this.#factsOf(two)];
    const types = first.types && second.types && commonTypes(first.types, second.types);
    if (types?.length === 0 || this.#haveOtherValues([one, first], [two, second])) return true;
    if (types?.some((type) => type !== 'object') !== false) return false;
    return [...first.required, ...second.required].some((name) => {
      this.#work.add(1);
      if (isForbidden(one, name) || isForbidden(two, name)) return true;
      const inOne = this.#property(one, name);
      const inTwo = this.#property(two, name);
      const [left, right] = [this.#factsOf(inOne), this.#factsOf(inTwo)];
      if (left.types && right.types && commonTypes(left.types, right.types).length === 0) return true;
      return this.#haveOtherValues([inOne, left], [inTwo, right]);
    });
  }

  #haveOtherValues([one, first]: [Conjunction, Facts], [two, second]: [Conjunction, Facts]): boolean {
    if (first.values && second.values) {
      this.#work.add(Math.min(first.texts.size, second.texts.size));
      return !shares(first.texts, second.texts);
    }
    const fits = (parts: Conjunction) => (value: unknown) =>
      parts.every((part) => this.#values.isPlainlyValid(part, value));
    if (first.values) return !first.values.some(fits(two));
    return second.values !== undefined && !second.values.some(fits(one));
  }

  #factsOf(parts: Conjunction): Facts {
    let facts = this.#facts.get(parts);
    if (!facts) {
      const values = this.#values.listed(parts);
      facts = {
        types: values ? [...new Set(values.map((value) => typesOf(value)[0] as string))] : typesOfAll(parts),
        values,
        texts: new Set(values?.map(canonical)),
        required: parts.flatMap((part) => requiredOf(part).map(String)),
      };
      this.#facts.set(parts, facts);
    }
    return facts;
  }

  #property(parts: Conjunction, name: string): Conjunction {
    let known = this.#properties.get(parts);
    if (!known) this.#properties.set(parts, (known = new Map()));
    let property = known.get(name);
    if (!property) known.set(name, (property = this.#plainParts(propertyParts(parts, name))));
    return property;
  }
}

function isForbidden(parts: Conjunction, name: string): boolean {
  return parts.some(
    (part) => part.schema['additionalProperties'] === false && !Object.hasOwn(propertiesOf(part), name),
  );
}

function shares(one: ReadonlySet<string>, two: ReadonlySet<string>): boolean {
  const [few, many] = one.size <= two.size ? [one, two] : [two, one];
  return [...few].some((text) => many.has(text));
}
