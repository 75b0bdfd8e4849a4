import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** The response headers that web pages may read. */
const exposed = [
  'x-request-id',
  'request-id',
  'retry-after',
  'x-should-retry',
  'server-timing',
  'x-conch-ignored',
  'x-conch-structured',
  'x-ratelimit-limit-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-requests',
  'x-ratelimit-reset-tokens',
];

/** Seconds for which a browser caches the preflight response. */
const longestTrust = 600;

/** Allows web pages of these origins to send requests. */
export function crossOrigin(app: FastifyInstance, allowedOrigins: readonly string[]): void {
  const isForAll = allowedOrigins.includes('*');
  const options = {
    origin: isForAll ? '*' : [...allowedOrigins],
    credentials: !isForAll,
    methods: ['GET', 'POST', 'DELETE'],
    exposedHeaders: exposed,
    maxAge: longestTrust,
    strictPreflight: false,
  };
  // Called instead of registered: hooks run in the order they are added, and registering would add it later.
  cors(app, options, () => undefined);
}
