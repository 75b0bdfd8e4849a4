import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { invalidKey } from '../keys/invalid-key.ts';
import { holderOf, type KeyBook } from '../keys/key-book.ts';
import type { KeyHolder } from '../keys/key-holder.ts';
import { digestOf } from '../keys/secrets.ts';

/**
 * Who sends a request, by its key: a Bearer token, or what stands in the header of Anthropic's clients. Undefined where
 * no key is needed. Throws an ApiError where nobody holds it.
 */
export async function identify(headers: IncomingHttpHeaders, keys: KeyBook): Promise<KeyHolder | undefined> {
  if (!keys.isLocked) return undefined;
  const [, scheme, credentials] = /^(\S+) +(.+)$/.exec(headers.authorization ?? '') ?? [];
  const other = headers['x-api-key'];
  if (!(credentials ?? other)) throw invalidKey('No API key. Send it in the header "Authorization: Bearer KEY".');
  const bearer = scheme?.toLowerCase() === 'bearer' ? credentials : undefined;
  return holderOf(
    [bearer, other].filter((text) => typeof text === 'string'),
    keys,
  );
}

/** Compares texts with a secret in constant time, whatever their length. */
export function secretMatcher(secret: string): (given: string) => boolean {
  const expected = digestOf(secret);
  return (given) => timingSafeEqual(digestOf(given), expected);
}
