import { isJsonObject, type JsonObject } from '../../../json-object.ts';
import { type Place, placeText } from '../../../json-schema/place.ts';
import { referenced, referenceKeys, type Schema } from '../../../json-schema/references.ts';
import { GrammarError } from './grammar-error.ts';
import { SchemaOverlap } from './schema-overlap.ts';
import {
  checkKeywords,
  type Given,
  inner,
  innerList,
  keywordFault,
  type Part,
  rootPlace,
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

interface State {
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
    this.#overlap = new SchemaOverlap(this.values, (given) => this.#plainParts(given), work);
  }

  /** The alternatives that match all of these schemas; none if they contradict each other. */
  of(given: readonly Given[]): Alternative[] {
    const state: State = { parts: new Map(), choices: [], isReferenced: false, isImpossible: false };
    for (const each of given) this.#add(state, each, undefined);
    return this.#branches(state);
  }

  #plainParts(given: readonly Given[]): readonly Part[] {
    const state: State = { parts: new Map(), choices: [], isReferenced: false, isImpossible: false };
    for (const each of given) this.#add(state, each, undefined);
    return [...state.parts.values()];
  }

  #add(state: State, { schema, place }: Given, path: Path | undefined): void {
    this.#work.add(1);
    if (schema === true) return;
    if (schema === false) state.isImpossible = true;
    else if (!isJsonObject(schema))
      throw new GrammarError('must be a schema: an object, true or false', placeText(place));
    else this.#addPart(state, { schema, place }, path);
  }

  #addPart(state: State, part: Part, before: Path | undefined): void {
    const { schema } = part;
    for (let at = before; at; at = at.before)
      if (at.schema === schema)
        throw new GrammarError('refers to itself without a value in between', placeText(part.place));
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

  #branches(state: State): Alternative[] {
    const { parts, choices, isReferenced } = state;
    this.#work.add(1 + parts.size);
    if (state.isImpossible || typesOfAll([...parts.values()])?.length === 0) return [];
    const [choice, ...others] = choices;
    if (!choice) return [{ parts: [...parts.values()], isReferenced }];
    const { keyword, owner, path } = choice;
    const found = innerList(owner, keyword).map((branch) => {
      const next: State = { ...state, parts: new Map(parts), choices: [...others] };
      this.#add(next, branch, path);
      return this.#branches(next);
    });
    if (keyword === 'oneOf' && !this.#overlap.areApart(found.map((each) => each.map(({ parts: all }) => all))))
      throw keywordFault(
        [owner],
        'oneOf',
        'branches that can match the same value are not supported: use anyOf, or give each branch a required property with a const of its own',
      );
    return found.flat();
  }

  #target(part: Part): Given {
    const reference = String(part.schema['$ref']);
    const keys = referenceKeys(reference);
    if (!keys)
      throw keywordFault(
        [part],
        '$ref',
        `${reference} is not supported: only references into the schema are, for example #/$defs/name`,
      );
    this.#work.add(keys.length);
    const schema = referenced(this.#root as Schema, reference);
    if (schema === undefined) throw keywordFault([part], '$ref', `${reference} does not exist in the schema`);
    return { schema, place: keys.reduce<Place>((parent, key) => ({ parent, key }), rootPlace) };
  }
}

/** The inner schemas under a keyword, of all schemas that have it. */
export function innerOf(parts: readonly Part[], keyword: string): Given[] {
  return parts.filter(({ schema }) => keyword in schema).map((part) => inner(part, keyword));
}
