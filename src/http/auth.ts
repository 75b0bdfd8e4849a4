import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

/** Checks the Bearer token of a request in constant time, whatever its length. */
export function keyCheck(apiKey: string): (request: FastifyRequest) => void {
  const isKey = secretMatcher(apiKey);
  return (request) => {
    const [, scheme, token] = /^(\S+) +(.+)$/.exec(request.headers.authorization ?? '') ?? [];
    if (scheme?.toLowerCase() === 'bearer' && token !== undefined && isKey(token)) return;
    throw new ApiError(
      'invalid_api_key',
      token ? 'The API key is not valid.' : 'No API key. Send it in the header "Authorization: Bearer KEY".',
      { headers: { 'www-authenticate': 'Bearer' } },
    );
  };
}

/** Compares texts with a secret in constant time, whatever their length. */
export function secretMatcher(secret: string): (given: string) => boolean {
  const expected = digest(secret);
  return (given) => timingSafeEqual(digest(given), expected);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
