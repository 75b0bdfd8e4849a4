import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../errors.ts';
import { type ConnectionOptions, headerLimit, limitConnections } from './connections.ts';
import { crossOrigin } from './cross-origin.ts';
import { type DrainState, drainable } from './draining.ts';
import { decorateRequests } from './request-log.ts';
import { boundClients, type ClientBounds } from './slow-clients.ts';

/** What happens to every request of an app before its route. */
export interface ArrivalOptions {
  /** Starts the record of a request. */
  readonly begin: (request: FastifyRequest, reply: FastifyReply) => void;
  readonly connections: ConnectionOptions;
  /** Timeouts of slow clients; left out: none. */
  readonly clients?: ClientBounds | undefined;
  /** The shutdown of the process; left out: requests are never cancelled. */
  readonly draining?: DrainState | undefined;
  /** Origins of web pages that may send requests; `*` for all. */
  readonly allowedOrigins?: readonly string[];
  /** Returns the error of a request, now or later; undefined: the request is admitted. */
  readonly admit?: (request: FastifyRequest, reply: FastifyReply) => AdmissionResult | Promise<AdmissionResult>;
}

type AdmissionResult = ApiError | undefined;

/** Checks and tracks all requests of an app, in one synchronous hook: each hook costs every request. */
export function arrivals(app: FastifyInstance, options: ArrivalOptions): void {
  const { begin, connections, clients, draining, allowedOrigins = [], admit } = options;
  decorateRequests(app);
  limitConnections(app, connections);
  const tooManyHeaders = headerLimit(connections);
  const followClient = clients && boundClients(app, clients);
  const followEnd = draining && drainable(app, draining);
  const enter = (request: FastifyRequest, reply: FastifyReply, done: (error?: ApiError) => void): void => {
    const headerError = tooManyHeaders(request);
    if (headerError) {
      done(headerError);
      return;
    }
    followClient?.(request, reply);
    followEnd?.(request, reply);
    const admitted = admit?.(request, reply);
    if (admitted instanceof Promise) void whenSettled(admitted, done);
    else done(admitted);
  };
  if (allowedOrigins.length === 0) {
    app.addHook('onRequest', (request, reply, done) => {
      begin(request, reply);
      enter(request, reply, done);
    });
    return;
  }
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    done();
  });
  // Before the guard: preflight requests have no key, and a browser must be able to read errors.
  crossOrigin(app, allowedOrigins);
  app.addHook('onRequest', enter);
}

async function whenSettled(admitted: Promise<AdmissionResult>, done: (error?: ApiError) => void): Promise<void> {
  done(await admitted.catch((error: ApiError) => error));
}
