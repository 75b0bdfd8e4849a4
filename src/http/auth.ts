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
    const given = [scheme?.toLowerCase() === 'bearer' ? bearer : undefined, other].filter(isText);
    if (given.some(isKey)) return owner;
    throw new ApiError(
      'invalid_api_key',
      (bearer ?? other)
        ? 'The API key is not valid.'
        : 'No API key. Send it in the header "Authorization: Bearer KEY".',
      { headers: { 'www-authenticate': 'Bearer' } },
    );
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Compares texts with a secret in constant time, whatever their length. */
export function secretMatcher(secret: string): (given: string) => boolean {
  const expected = digest(secret);
  return (given) => timingSafeEqual(digest(given), expected);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
