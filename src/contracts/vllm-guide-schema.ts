import type { ApiError } from '../errors.ts';
import { isJsonObject } from '../json-object.ts';
import { referenced } from '../json-schema/references.ts';
import { typesOf as typesOfValue } from '../json-schema/values.ts';
import { constrains, refuseKeywords, typesOf } from './vllm-guide-keywords.ts';
import { mergeSchemas } from './vllm-guide-merge.ts';
import { areApart } from './vllm-guide-one-of.ts';
import { guideError, memberPath, pathOfReference } from './vllm-guide-path.ts';
import { type InnerWriter, type Json, writeTyped } from './vllm-guide-types.ts';

export interface WrittenSchema {
  readonly schema: Json;
  /** Whether every value that the written schema allows satisfies the original one. */
  readonly isExact: boolean;
}

/** The most schemas that are looked at: those that hold for one value are put together, which can multiply them. */
const mostSteps = 20_000;

/** So many characters of a pattern, pairs of optional properties, members and characters of merged schemas are one step. */
const patternStep = 4;
const pairStep = 8;
const memberStep = 16;
const mergeStep = 64;

/** The maximum nesting depth of schemas after references are followed. */
const deepest = 256;

/** Writes a JSON schema that `checkSchema` has admitted with the keywords that xgrammar and llguidance read alike. */
export function writeSchema(schema: Json, path: string): WrittenSchema {
  return new SchemaWriter(schema, path).root();
}

/** The target of a reference. */
interface Definition {
  readonly name: string;
  /** Undefined where no value satisfies it. */
  schema: Json | undefined;
  isExact: boolean;
}

/** How JSON texts have half of a surrogate pair. */
const escapedHalfPair = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

class SchemaWriter implements InnerWriter {
  readonly #schema: Json;
  readonly #path: string;
  /** By the target of a reference: one path can be written in many ways. */
  readonly #definitions = new Map<unknown, Definition>();
  #steps = 0;
  #depth = 0;
  isExact = true;

  constructor(schema: Json, path: string) {
    this.#schema = schema;
    this.#path = path;
  }

  root(): WrittenSchema {
    const schema = this.write(this.#schema, this.#path);
    if (!schema) throw guideError(this.#path, 'no value satisfies this schema.');
    const definitions = [...this.#definitions.values()].map(({ name, schema: each }) => [name, each ?? {}]);
    const whole = definitions.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(definitions) };
    if (escapedHalfPair.test(JSON.stringify(whole))) throw guideError(this.#path, 'contains half of a surrogate pair.');
    return { schema: whole, isExact: this.isExact };
  }

  /** Undefined where no value satisfies it. */
  write(schema: unknown, path: string): Json | undefined {
    this.#step(1 + (isJsonObject(schema) ? Math.floor(membersOf(schema) / memberStep) : 0));
    if (this.#depth === deepest) throw this.#tooComplex();
    this.#depth++;
    const written = this.#written(schema, path);
    this.#depth--;
    return written;
  }

  readsPattern(length: number): void {
    this.#step(length / patternStep);
  }

  /** xgrammar writes out each pair of them: a thousand in one object hold an engine for half a minute. */
  writesOptional(count: number): void {
    this.#step(count ** 2 / pairStep);
  }

  #step(cost: number): void {
    this.#steps += cost;
    if (this.#steps > mostSteps) throw this.#tooComplex();
  }

  #tooComplex(): ApiError {
    return guideError(
      this.#path,
      'is too complex: simplify its references, its allOf and its patterns, or require more properties.',
    );
  }

  #written(schema: unknown, path: string): Json | undefined {
    if (!isJsonObject(schema)) return schema === false ? undefined : {};
    refuseKeywords(schema, path);
    const { $ref: reference, allOf, ...rest } = schema;
    if (typeof reference === 'string') return this.#reference(reference, allOf ? { allOf, ...rest } : rest, path);
    if (Array.isArray(allOf)) return this.#all(rest, allOf, path);
    if (Array.isArray(schema['anyOf']) || Array.isArray(schema['oneOf'])) return this.#any(schema, path);
    return this.#plain(schema, path);
  }

  #reference(reference: string, beside: Json, path: string): Json | undefined {
    const definition = this.#definition(reference);
    if (!constrains(beside)) return definition;
    const target = referenced(this.#schema, reference);
    return isJsonObject(target) ? this.#merged([target, beside], path) : definition && this.write(beside, path);
  }

  #definition(reference: string): Json | undefined {
    const known = this.#definitions.get(referenced(this.#schema, reference)) ?? this.#define(reference);
    if (!known.isExact) this.isExact = false;
    return known.schema && { $ref: `#/$defs/${known.name}` };
  }

  #define(reference: string): Definition {
    // It may lead back to itself.
    const definition: Definition = { name: `d${this.#definitions.size}`, schema: {}, isExact: true };
    const target = referenced(this.#schema, reference);
    this.#definitions.set(target, definition);
    const { isExact } = this;
    this.isExact = true;
    definition.schema = this.write(target, pathOfReference(this.#path, reference));
    definition.isExact = this.isExact;
    this.isExact = isExact;
    return definition;
  }

  #all(beside: Json, parts: readonly unknown[], path: string): Json | undefined {
    const inner = memberPath(path, 'allOf');
    if (parts.length === 1 && !constrains(beside)) return this.write(parts[0], memberPath(inner, 0));
    const isPossible = parts.every((part, at) => this.#tries(part, memberPath(inner, at)));
    return isPossible ? this.#merged([beside, ...parts.filter(isJsonObject)], path) : undefined;
  }

  /** Whether a schema that is merged with others has values. Errors in it name its own path. */
  #tries(schema: unknown, path: string): boolean {
    const { isExact } = this;
    const written = this.write(schema, path);
    this.isExact = isExact;
    return written !== undefined;
  }

  #merged(schemas: readonly Json[], path: string): Json | undefined {
    let all: Json = {};
    for (const schema of schemas) {
      this.#step((JSON.stringify(all).length + JSON.stringify(schema).length) / mergeStep);
      const { schema: both, isExact } = mergeSchemas(all, schema);
      if (!isExact) this.isExact = false;
      if (!both) return undefined;
      all = both;
    }
    return this.write(all, path);
  }

  #any(schema: Json, path: string): Json | undefined {
    const keyword = Array.isArray(schema['anyOf']) ? 'anyOf' : 'oneOf';
    const { [keyword]: branches, ...beside } = schema;
    const list = branches as readonly unknown[];
    const hasMore = constrains(beside);
    if (hasMore && !this.#tries(beside, path)) return undefined;
    const written = list.flatMap((branch, at) => {
      const inner = memberPath(memberPath(path, keyword), at);
      if (hasMore && !this.#tries(branch, inner)) return [];
      const own = isJsonObject(branch) ? branch : {};
      const whole = hasMore ? this.#merged([beside, own], inner) : this.write(branch, inner);
      return whole ? [whole] : [];
    });
    if (keyword === 'oneOf' && !areApart(list.map((branch) => this.#resolved(branch)))) this.isExact = false;
    return anyOf(written);
  }

  #resolved(schema: unknown): unknown {
    let found = schema;
    for (let links = 0; links < 16 && isJsonObject(found) && typeof found['$ref'] === 'string'; links++)
      found = referenced(this.#schema, found['$ref']);
    return found;
  }

  #plain(schema: Json, path: string): Json | undefined {
    const types = typesOf(schema);
    const values = valuesOf(schema);
    if (values) return this.#values(values, schema, path);
    if (types.length === 0) return {};
    const written = types.map((type) => writeTyped(type, schema, { writer: this, path }));
    return anyOf(written.filter((each) => each !== undefined));
  }

  #values(values: readonly unknown[], schema: Json, path: string): Json | undefined {
    const { const: _const, enum: _enum, type, ...others } = schema;
    const types = new Set([type].flat());
    const allowed =
      type === undefined ? values : values.filter((value) => typesOfValue(value).some((each) => types.has(each)));
    // Other keywords are left to the check of the response.
    if (constrains(others)) {
      this.write(others, path);
      this.isExact = false;
    }
    if (allowed.length === 0) return undefined;
    return allowed.length === 1 ? { const: allowed[0] } : { enum: allowed };
  }
}

/** How many members a schema has, those of its lists included. */
function membersOf(schema: Json): number {
  let count = 0;
  for (const value of Object.values(schema)) count += Array.isArray(value) ? value.length : 1;
  return count;
}

function valuesOf(schema: Json): readonly unknown[] | undefined {
  const { enum: values } = schema;
  if (!Object.hasOwn(schema, 'const')) return Array.isArray(values) ? values : undefined;
  const text = JSON.stringify(schema['const']);
  const isListed = !Array.isArray(values) || values.some((value) => JSON.stringify(value) === text);
  return isListed ? [schema['const']] : [];
}

function anyOf(schemas: readonly Json[]): Json | undefined {
  return schemas.length > 1 ? { anyOf: schemas } : schemas[0];
}
