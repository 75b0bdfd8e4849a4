import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** The headers of answers that pages may read. */
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

/** Seconds for which a browser need not ask again. */
const longestTrust = 600;

/** Lets pages of these origins call from a browser. */
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
  // Called instead of registered: hooks run in the order in which they are added, and a registered one is added later.
  cors(app, options, () => undefined);
}
