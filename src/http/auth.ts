import { timingSafeEqual } from 'node:crypto';
import { invalidKey } from '../keys/invalid-key.ts';
import type { KeyHolder } from '../keys/key-holder.ts';
import { holderOf, type KeyRegistry } from '../keys/key-registry.ts';
import { digestOf } from '../keys/secrets.ts';

/** The headers that may have a key. */
export interface KeyHeaders {
  readonly authorization?: string | undefined;
  readonly 'x-api-key'?: string | string[] | undefined;
  readonly 'x-goog-api-key'?: string | string[] | undefined;
}

/**
 * The holder of the key of a request: a Bearer token, or the header of Anthropic's or Google's clients. Undefined if no
 * key is needed. Throws an ApiError for an unknown key.
 * @param queryKey The key in the query of the URL, where the endpoint takes one.
 */
export async function identify(
  headers: KeyHeaders,
  keys: KeyRegistry,
  queryKey?: unknown,
): Promise<KeyHolder | undefined> {
  if (!keys.isLocked) return undefined;
  const [, scheme, credentials] = /^(\S+) +(.+)$/.exec(headers.authorization ?? '') ?? [];
  const others = [headers['x-api-key'], headers['x-goog-api-key'], queryKey];
  if (!credentials && !others.some(Boolean))
    throw invalidKey('No API key. Send it in the header "Authorization: Bearer KEY".');
  const bearer = scheme?.toLowerCase() === 'bearer' ? credentials : undefined;
  return holderOf(
    [bearer, ...others].filter((text) => typeof text === 'string'),
    keys,
  );
}

/** Compares texts with a secret in constant time, independent of their length. */
export function secretMatcher(secret: string): (value: string) => boolean {
  const expected = digestOf(secret);
  return (value) => timingSafeEqual(digestOf(value), expected);
}
