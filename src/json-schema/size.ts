import { ApiError } from '../errors.ts';
import { type SchemaPath, schemaError } from './schema-path.ts';

/** The limits on the nesting depth and the JSON text of a schema. */
const deepestSchema = 64;
export const longestSchema = 512 * 1024;

/** The limit on objects and arrays: they determine the cost of a check more than the text. */
const mostParts = 10_000;

/** The limits of all tools of a request together: a thousand tools have a schema each. */
const toolFactor = 4;

interface PendingValue {
  readonly value: object;
  readonly path: SchemaPath;
  readonly depth: number;
}

/** The size of a schema, or of several together. */
export interface SchemaSize {
  readonly characters: number;
  readonly parts: number;
}

/** The size of a schema. Throws if it exceeds the limits. It stops there, so the work is bounded. */
export function checkSize(schema: object, root: SchemaPath): SchemaSize {
  const size = { characters: 0, parts: 0 };
  const waiting: PendingValue[] = [{ value: schema, path: root, depth: 1 }];
  size.characters += 2;
  size.parts++;
  const add = (value: unknown, { path, depth }: PendingValue, key: string | number): void => {
    size.characters += 1 + (typeof key === 'string' ? key.length + 3 : 0);
    if (typeof value === 'string') size.characters += value.length + 2;
    else if (typeof value === 'object' && value !== null) {
      size.characters += 2;
      if (++size.parts > mostParts) throw schemaError(root, `has more than ${mostParts} objects and arrays.`);
      if (depth >= deepestSchema)
        throw schemaError({ parent: path, key }, `is nested deeper than ${deepestSchema} levels.`);
      waiting.push({ value, path: { parent: path, key }, depth: depth + 1 });
    } else size.characters += String(value).length;
    if (size.characters > longestSchema) throw schemaError(root, `is larger than ${longestSchema} characters of JSON.`);
  };
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value } = next;
    if (Array.isArray(value)) for (let at = 0; at < value.length; at++) add(value[at], next, at);
    else for (const key in value) add((value as Record<string, unknown>)[key], next, key);
  }
  return size;
}

/** Throws if the schemas of a request's tools are too large together. */
export function checkToolSize({ characters, parts }: SchemaSize, { isGuide }: { readonly isGuide: boolean }): void {
  const factor = isGuide ? 1 : toolFactor;
  const refuse = (limit: string): never => {
    const reason = isGuide ? ', the limit if a call is required' : '';
    const message = `tools: their schemas have more than ${limit} together${reason}. Send fewer tools.`;
    throw new ApiError('invalid_request', message, { param: 'tools' });
  };
  if (parts > factor * mostParts) refuse(`${factor * mostParts} objects and arrays`);
  if (characters > factor * longestSchema) refuse(`${factor * longestSchema} characters of JSON`);
}

/** Whether schemas are small enough for one guide. */
export function fitsGuide({ characters, parts }: SchemaSize): boolean {
  return parts <= mostParts && characters <= longestSchema;
}
