import { isJsonObject } from '../json-object.ts';
import { checkKeywords } from './check.ts';
import { patternError } from './pattern.ts';
import { type SchemaPath, schemaError } from './schema-path.ts';
import { checkSize } from './size.ts';

/** The members of tags and formats that are JSON schemas. */
const schemaNames: ReadonlySet<string> = new Set(['schema', 'json_schema']);

interface Part {
  readonly value: unknown;
  readonly path: SchemaPath;
}

/**
 * Throws if a structural tag is beyond the limits of a schema, or has an invalid schema or regular expression. Only the
 * backend knows its other members.
 */
export function checkStructuralTag(tag: Readonly<Record<string, unknown>>, field: string): void {
  const root: SchemaPath = { parent: undefined, key: field };
  checkSize(tag, root);
  const waiting: Part[] = [{ value: tag, path: root }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, path } = next;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      const part = { value: inner, path: { parent: path, key: Array.isArray(value) ? Number(key) : key } };
      if (schemaNames.has(key) && isJsonObject(inner)) checkKeywords(inner, part.path);
      else if (key === 'pattern' && typeof inner === 'string') checkPattern(inner, part.path);
      else waiting.push(part);
    }
  }
}

function checkPattern(pattern: string, path: SchemaPath): void {
  const problem = patternError(pattern);
  if (problem !== undefined) throw schemaError(path, problem);
}
