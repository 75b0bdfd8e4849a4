import { isJsonObject } from '../json-object.ts';

/** A part of a schema: an object of keywords, or true or false for anything or nothing. */
export type Schema = boolean | Readonly<Record<string, unknown>>;

/** The target of a `$ref`; undefined if it does not exist or is outside the schema. */
export function referenced(root: Schema, reference: string): Schema | undefined {
  let value: unknown = root;
  for (const key of referenceKeys(reference) ?? [undefined]) {
    if (key === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
      return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === 'boolean' || isJsonObject(value) ? value : undefined;
}

/** The keys of a `$ref` from the root; undefined if it is malformed or leads outside. */
export function referenceKeys(reference: string): string[] | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  try {
    return reference.split('/').slice(1).map(keyOf);
  } catch {
    return undefined;
  }
}

/** JSON pointers write ~ as ~0 and / as ~1. In a URL, they are also percent-encoded. */
function keyOf(part: string): string {
  return /[%~]/.test(part) ? decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~') : part;
}
