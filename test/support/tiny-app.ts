import fastify, { type FastifyInstance } from 'fastify';
import type { Api, Endpoint } from '../../src/http/api.ts';
import { type AppServices, createApp } from '../../src/http/app.ts';
import { usualConnections } from '../../src/http/connections.ts';
import { DrainState } from '../../src/http/draining.ts';
import { defaultErrors } from '../../src/http/failures.ts';
import { errorSchema } from '../../src/http/openapi/error-schema.ts';
import type { KeyFacts } from '../../src/keys/key-holder.ts';
import { openRegistry } from '../../src/keys/key-registry.ts';
import { KeyRing } from '../../src/keys/key-ring.ts';
import { digestOf } from '../../src/keys/secrets.ts';
import { LocalGates } from '../../src/limits/local-gates.ts';
import { LocalRates } from '../../src/limits/local-rates.ts';
import { countingRecorder } from '../../src/request-watch.ts';

/** What an app needs that serves these APIs and no model. */
export function silentServices(value: Partial<AppServices> = {}): AppServices {
  return {
    keys: openRegistry,
    keyLimits: { rates: new LocalRates(), gates: new LocalGates() },
    restrictedApis: [],
    jsonBounds: { depth: 10, values: 1000 },
    models: { list: () => [] } as unknown as AppServices['models'],
    connections: usualConnections,
    allowedOrigins: [],
    clients: { receiveTimeout: 0, slowClientTimeout: 0 },
    draining: new DrainState(new AbortController().signal),
    maxInputSize: 1000,
    logger: fastify().log,
    record: countingRecorder,
    ...value,
  };
}

/** A book with one key. */
export function lockedBook(own: { readonly key: string } & Partial<KeyFacts>): AppServices['keys'] {
  const holder = { id: 'key:a', name: 'a', ...own };
  return { ...openRegistry, isLocked: true, ring: new KeyRing([{ digest: digestOf(own.key), holder }]) };
}

/** An endpoint that says `fine`. */
export function tinyEndpoint(value: Partial<Endpoint<unknown>>): Endpoint<unknown> {
  return {
    methods: ['GET'],
    paths: ['/'],
    group: 'inference',
    operations: [],
    handler: () => async () => 'fine',
    ...value,
  };
}

/** An API of these endpoints. */
export function tinyApi(endpoints: readonly Endpoint<unknown>[], value: Partial<Api<unknown>> = {}): Api<unknown> {
  return { name: 'tiny', ...defaultErrors, errorSchema, endpoints, ...value };
}

/** An app with one API of these endpoints. */
export function tinyApp(endpoints: readonly Endpoint<unknown>[], value: Partial<AppServices> = {}): FastifyInstance {
  return createApp(silentServices(value), [tinyApi(endpoints)]);
}
