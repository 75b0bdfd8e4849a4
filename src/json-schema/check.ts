import { isJsonObject } from '../json-object.ts';
import { referenced, type Schema } from './references.ts';
import { bounds, type Inner, rules } from './rules.ts';
import { type SchemaPath, schemaError } from './schema-path.ts';
import { checkSize } from './size.ts';

type SchemaObject = Exclude<Schema, boolean>;

/** A `$ref`, its path and its target. */
interface Link {
  readonly path: SchemaPath;
  readonly target: Schema;
}

interface CheckOptions {
  /** Reject unknown keywords. */
  readonly knows?: (keyword: string) => boolean;
}

/**
 * Throws if a JSON schema is invalid or beyond the limits, with the path of the keyword below `field`. The work is
 * linear in the size of the schema, which is bounded. Nothing is recursive, and no pattern is run.
 */
export function checkSchema(schema: SchemaObject, field: string, { knows }: CheckOptions = {}): void {
  const root: SchemaPath = { parent: undefined, key: field };
  checkSize(schema, root);
  checkKeywords(schema, root, knows);
}

/** Checks a schema whose size is within the limits. */
export function checkKeywords(schema: SchemaObject, root: SchemaPath, knows?: CheckOptions['knows']): void {
  const links = new Map<SchemaObject, Link>();
  const targets = new Map<string, Schema>();
  const seen = new Set<unknown>();
  const waiting: Inner[] = [{ schema, path: root }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { schema: part, path } = next;
    if (typeof part === 'boolean' || seen.has(part)) continue;
    if (!isJsonObject(part)) throw schemaError(path, 'must be a schema: an object, true or false.');
    seen.add(part);
    for (const [keyword, value] of Object.entries(part)) {
      const at = { parent: path, key: keyword };
      if (knows?.(keyword) === false)
        throw schemaError(
          at,
          'this keyword is not supported: responses cannot be checked against it.',
          'unsupported_parameter',
        );
      for (const inner of rules.get(keyword)?.(value, at) ?? []) waiting.push(inner);
      if (keyword !== '$ref') continue;
      const reference = value as string;
      const target = targets.get(reference) ?? referenced(schema, reference);
      if (target === undefined)
        throw schemaError(at, 'must refer to a schema in this document, for example #/$defs/name.');
      targets.set(reference, target);
      links.set(part, { path: at, target });
      // Its target may be outside the keywords of JSON schema.
      waiting.push({ schema: target, path: at });
    }
    checkBounds(part, path);
  }
  refuseCircles(links);
}

function checkBounds(part: SchemaObject, path: SchemaPath): void {
  for (const [least, most] of bounds)
    if (Number(part[least]) > Number(part[most]))
      throw schemaError({ parent: path, key: least }, `must not be more than ${most}.`);
}

/** Throws if a reference leads back to itself for the same value: no value could satisfy it. */
function refuseCircles(links: ReadonlyMap<SchemaObject, Link>): void {
  const done = new Set<SchemaObject>();
  const open = new Set<SchemaObject>();
  for (const start of links.keys()) {
    const path: { readonly part: SchemaObject; readonly rest: SchemaObject[] }[] = [];
    const enter = (part: SchemaObject): void => {
      open.add(part);
      path.push({ part, rest: sameValue(part, links) });
    };
    if (!done.has(start)) enter(start);
    for (let last = path.at(-1); last; last = path.at(-1)) {
      const next = last.rest.pop();
      if (next === undefined) {
        open.delete(last.part);
        done.add(last.part);
        path.pop();
      } else if (open.has(next)) {
        const link = path.map(({ part }) => links.get(part)).findLast((each) => each !== undefined);
        throw schemaError((link as Link).path, 'must not refer to itself.');
      } else if (!done.has(next)) enter(next);
    }
  }
}

/** The nested schemas that apply to the same value. */
function sameValue(part: SchemaObject, links: ReadonlyMap<SchemaObject, Link>): SchemaObject[] {
  const found: SchemaObject[] = [];
  const add = (schema: unknown): void => {
    if (isJsonObject(schema)) found.push(schema);
  };
  add(links.get(part)?.target);
  for (const keyword of ['not', 'if', 'then', 'else']) add(part[keyword]);
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) for (const each of (part[keyword] ?? []) as unknown[]) add(each);
  for (const each of Object.values(part['dependentSchemas'] ?? {})) add(each);
  return found;
}
