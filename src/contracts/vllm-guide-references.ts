import { within } from './vllm-guide-place.ts';

/** What a `$ref` within a schema leads to; undefined: to nothing, or outside. */
export function referenced(root: unknown, reference: string): unknown {
  let value = root;
  for (const key of keysOf(reference)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** The place of a reference's target in the request. */
export function placeOfReference(place: string, reference: string): string {
  let text = place;
  for (const key of keysOf(reference)) text = within(text, /^\d+$/.test(key) ? Number(key) : key);
  return text;
}

/** JSON pointers write ~ as ~0 and / as ~1, and stand in addresses, where % escapes. */
function keysOf(reference: string): string[] {
  return reference
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}
