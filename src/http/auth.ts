import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

/**
 * Checks the key of a request in constant time, whatever its length, and gives what stands for its owner. It is a Bearer
 * token, or stands in the header of Anthropic's clients.
 */
export function keyCheck(apiKey: string): (request: FastifyRequest) => string {
  const isKey = secretMatcher(apiKey);
  const owner = digest(`owner of ${apiKey}`).toString('hex');
  return (request) => {
    const [, scheme, bearer] = /^(\S+) +(.+)$/.exec(request.headers.authorization ?? '') ?? [];
    const other = request.headers['x-api-key'];
    const token = scheme?.toLowerCase() === 'bearer' ? bearer : typeof other === 'string' ? other : undefined;
    if (token !== undefined && isKey(token)) return owner;
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
