import { isJsonObject } from '../json-object.ts';

/** A part of a schema: an object of keywords, or true or false for anything or nothing. */
export type Schema = boolean | Readonly<Record<string, unknown>>;

/** What a `$ref` within a schema leads to, by its path from the root; undefined: to nothing, or outside. */
export function referenced(root: Schema, reference: string): Schema | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let value: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = keyOf(part);
    if (key === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
      return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === 'boolean' || isJsonObject(value) ? value : undefined;
}

const escape = /[%~]/;

/** JSON pointers write ~ as ~0 and / as ~1, and stand in addresses, where % escapes. */
function keyOf(part: string): string | undefined {
  if (!escape.test(part)) return part;
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}
