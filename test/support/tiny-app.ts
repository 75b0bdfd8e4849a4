import fastify, { type FastifyInstance } from 'fastify';
import type { Api, Endpoint } from '../../src/http/api.ts';
import { type AppServices, createApp } from '../../src/http/app.ts';
import { usualConnections } from '../../src/http/connections.ts';
import { Draining } from '../../src/http/draining.ts';
import { usualErrors } from '../../src/http/failures.ts';
import { errorSchema } from '../../src/http/openapi/error-schema.ts';
import { openBook } from '../../src/keys/key-book.ts';
import type { KeyFacts } from '../../src/keys/key-holder.ts';
import { KeyRing } from '../../src/keys/key-ring.ts';
import { digestOf } from '../../src/keys/secrets.ts';
import { LocalGates } from '../../src/limits/local-gates.ts';
import { LocalRates } from '../../src/limits/local-rates.ts';
import { unrecorded } from '../../src/request-watch.ts';

/** What an app needs that serves these APIs and no model. */
export function silentServices(given: Partial<AppServices> = {}): AppServices {
  return {
    keys: openBook,
    keyLimits: { rates: new LocalRates(), gates: new LocalGates() },
    restrictedApis: [],
    jsonBounds: { depth: 10, values: 1000 },
    models: { list: () => [] } as unknown as AppServices['models'],
    connections: usualConnections,
    allowedOrigins: [],
    clients: { receiveTimeout: 0, slowClientTimeout: 0 },
    draining: new Draining(new AbortController().signal),
    maxInputSize: 1000,
    logger: fastify().log,
    record: unrecorded,
    ...given,
  };
}

/** A book with one key. */
export function lockedBook(own: { readonly key: string } & Partial<KeyFacts>): AppServices['keys'] {
  const holder = { id: 'key:a', name: 'a', ...own };
  return { ...openBook, isLocked: true, ring: new KeyRing([{ digest: digestOf(own.key), holder }]) };
}

/** An endpoint that says `fine`. */
export function tinyEndpoint(given: Partial<Endpoint<unknown>>): Endpoint<unknown> {
  return {
    methods: ['GET'],
    paths: ['/'],
    group: 'inference',
    operations: [],
    handler: () => async () => 'fine',
    ...given,
  };
}

/** An API of these endpoints. */
export function tinyApi(endpoints: readonly Endpoint<unknown>[], given: Partial<Api<unknown>> = {}): Api<unknown> {
  return { name: 'tiny', ...usualErrors, errorSchema, endpoints, ...given };
}

/** An app with one API of these endpoints. */
export function tinyApp(endpoints: readonly Endpoint<unknown>[], given: Partial<AppServices> = {}): FastifyInstance {
  return createApp(silentServices(given), [tinyApi(endpoints)]);
}
