import { GrammarError } from './grammar-error.ts';
import { checkKeywords } from './schema-keywords.ts';
import { SchemaOverlap } from './schema-overlap.ts';
import {
  type Given,
  inner,
  innerList,
  isObject,
  keywordFault,
  type Part,
  type Place,
  placeText,
  type Schema,
} from './schema-part.ts';
import { typesOfAll } from './schema-types.ts';
import { SchemaValues } from './schema-value-check.ts';
import type { SchemaWork } from './schema-work.ts';

/** Schemas that must all hold, with what they refer to and one branch of each choice among them. */
export interface Alternative {
  readonly parts: readonly Part[];
  /** Whether a reference led here: the same may be met again further inside. */
  readonly isReferenced: boolean;
}

/** The schemas that led to another one without going into the value. */
interface Path {
  readonly schema: Schema;
  readonly before: Path | undefined;
}

interface Choice {
  readonly keyword: 'anyOf' | 'oneOf';
  readonly owner: Part;
  readonly path: Path;
}

interface State {
  readonly parts: Map<Schema, Part>;
  readonly choices: Choice[];
  isReferenced: boolean;
  isImpossible: boolean;
}

/** Takes `$ref`, `allOf`, `anyOf` and `oneOf` apart, so that what is left says everything in plain keywords. */
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

  /** The ways to satisfy all of these schemas; none where they contradict each other. */
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
    else if (!isObject(schema)) throw new GrammarError('must be a schema: an object, true or false', placeText(place));
    else this.#addPart(state, { schema, place }, path);
  }

  #addPart(state: State, part: Part, before: Path | undefined): void {
    const { schema } = part;
    for (let at = before; at; at = at.before)
      if (at.schema === schema) throw new GrammarError('leads back to itself', placeText(part.place));
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
        'its branches can hold at once, which is not supported; use anyOf, or a required property with a const of its own in each',
      );
    return found.flat();
  }

  #target(part: Part): Given {
    const reference = part.schema['$ref'];
    if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference))
      throw keywordFault([part], '$ref', `${String(reference)} is not inside the schema`);
    let target: unknown = this.#root;
    let place: Place | undefined;
    for (const key of reference.split('/').slice(1).map(pointerKey)) {
      this.#work.add(1);
      target =
        typeof target === 'object' && target !== null && Object.hasOwn(target, key)
          ? (target as Schema)[key]
          : undefined;
      place = { parent: place, key };
    }
    if (target === undefined) throw keywordFault([part], '$ref', `${reference} points to nothing`);
    return { schema: target, place };
  }
}

function pointerKey(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

/** What stands within a schema under a keyword, as a list of one, or of none. */
export function innerOf(parts: readonly Part[], keyword: string): Given[] {
  return parts.filter(({ schema }) => keyword in schema).map((part) => inner(part, keyword));
}
