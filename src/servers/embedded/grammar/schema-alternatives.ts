import { isJsonObject, type JsonObject } from '../../../json-object.ts';
import { referenced, referenceKeys, type Schema } from '../../../json-schema/references.ts';
import { pathText, type SchemaPath } from '../../../json-schema/schema-path.ts';
import { GrammarError } from './grammar-error.ts';
import { SchemaOverlap } from './schema-overlap.ts';
import {
  checkKeywords,
  inner,
  innerList,
  keywordError,
  type LocatedSchema,
  type Part,
  rootLocation,
  type SchemaWork,
  typesOfAll,
} from './schema-part.ts';
import { SchemaValues } from './schema-value-check.ts';

/** Schemas that must all match, with the schemas that they refer to and one branch of each of their choices. */
export interface Alternative {
  readonly parts: readonly Part[];
  /** Whether a reference led here: the same schema may occur again inside. */
  readonly isReferenced: boolean;
}

/** The schemas that led to another one without going into the value. */
interface Path {
  readonly schema: JsonObject;
  readonly before: Path | undefined;
}

interface Choice {
  readonly keyword: 'anyOf' | 'oneOf';
  readonly owner: Part;
  readonly path: Path;
}

interface ExpansionState {
  readonly parts: Map<JsonObject, Part>;
  readonly choices: Choice[];
  isReferenced: boolean;
  isImpossible: boolean;
}

/** Resolves `$ref`, `allOf`, `anyOf` and `oneOf`, so that only plain keywords remain. */
export class SchemaAlternatives {
  readonly values: SchemaValues;
  readonly #root: unknown;
  readonly #work: SchemaWork;
  readonly #overlap: SchemaOverlap;

  constructor(root: unknown, work: SchemaWork) {
    this.#root = root;
    this.#work = work;
    this.values = new SchemaValues((part) => this.#target(part), work);
    this.#overlap = new SchemaOverlap(this.values, (schemas) => this.#plainParts(schemas), work);
  }

  /** The alternatives that match all of these schemas; none if they contradict each other. */
  of(schemas: readonly LocatedSchema[]): Alternative[] {
    const state: ExpansionState = { parts: new Map(), choices: [], isReferenced: false, isImpossible: false };
    for (const each of schemas) this.#add(state, each, undefined);
    return this.#branches(state);
  }

  #plainParts(schemas: readonly LocatedSchema[]): readonly Part[] {
    const state: ExpansionState = { parts: new Map(), choices: [], isReferenced: false, isImpossible: false };
    for (const each of schemas) this.#add(state, each, undefined);
    return [...state.parts.values()];
  }

  #add(state: ExpansionState, { schema, location }: LocatedSchema, path: Path | undefined): void {
    this.#work.add(1);
    if (schema === true) return;
    if (schema === false) state.isImpossible = true;
    else if (!isJsonObject(schema))
      throw new GrammarError('must be a schema: an object, true or false', pathText(location));
    else this.#addPart(state, { schema, location }, path);
  }

  #addPart(state: ExpansionState, part: Part, before: Path | undefined): void {
    const { schema } = part;
    for (let at = before; at; at = at.before)
      if (at.schema === schema)
        throw new GrammarError('refers to itself without a value in between', pathText(part.location));
    if (state.parts.has(schema)) return;
    checkKeywords(part);
    state.parts.set(schema, part);
    const path = { schema, before };
    if ('$ref' in schema) {
      state.isReferenced = true;
      this.#add(state, this.#target(part), path);
    }
    for (const each of innerList(part, 'allOf')) this.#add(state, each, path);
    for (const keyword of ['anyOf', 'oneOf'] as const)
      if (keyword in schema) state.choices.push({ keyword, owner: part, path });
  }

  #branches(state: ExpansionState): Alternative[] {
    const { parts, choices, isReferenced } = state;
    this.#work.add(1 + parts.size);
    if (state.isImpossible || typesOfAll([...parts.values()])?.length === 0) return [];
    const [choice, ...others] = choices;
    if (!choice) return [{ parts: [...parts.values()], isReferenced }];
    const { keyword, owner, path } = choice;
    const found = innerList(owner, keyword).map((branch) => {
      const next: ExpansionState = { ...state, parts: new Map(parts), choices: [...others] };
      this.#add(next, branch, path);
      return this.#branches(next);
    });
    if (keyword === 'oneOf' && !this.#overlap.areApart(found.map((each) => each.map(({ parts: all }) => all))))
      throw keywordError(
        [owner],
        'oneOf',
        'branches that can match the same value are not supported: use anyOf, or give each branch a required property with a const of its own',
      );
    return found.flat();
  }

  #target(part: Part): LocatedSchema {
    const reference = String(part.schema['$ref']);
    const keys = referenceKeys(reference);
    if (!keys)
      throw keywordError(
        [part],
        '$ref',
        `${reference} is not supported: only references into the schema are, for example #/$defs/name`,
      );
    this.#work.add(keys.length);
    const schema = referenced(this.#root as Schema, reference);
    if (schema === undefined) throw keywordError([part], '$ref', `${reference} does not exist in the schema`);
    return { schema, location: keys.reduce<SchemaPath>((parent, key) => ({ parent, key }), rootLocation) };
  }
}

/** The inner schemas under a keyword, of all schemas that have it. */
export function innerOf(parts: readonly Part[], keyword: string): LocatedSchema[] {
  return parts.filter(({ schema }) => keyword in schema).map((part) => inner(part, keyword));
}
