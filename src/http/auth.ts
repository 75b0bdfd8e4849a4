import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

/** Checks the Bearer token of a request in constant time, whatever its length. */
export function keyCheck(apiKey: string): (request: FastifyRequest) => void {
  const expected = digest(apiKey);
  return (request) => {
    const [, scheme, token] = /^(\S+) +(.+)$/.exec(request.headers.authorization ?? '') ?? [];
    if (scheme?.toLowerCase() === 'bearer' && token !== undefined && timingSafeEqual(digest(token), expected)) return;
    throw new ApiError(
      'invalid_api_key',
      token ? 'The API key is not valid.' : 'No API key. Send it in the header "Authorization: Bearer KEY".',
      { headers: { 'www-authenticate': 'Bearer' } },
    );
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
