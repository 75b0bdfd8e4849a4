import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../errors.ts';
import { type ConnectionOptions, headerLimit, limitConnections } from './connections.ts';
import { crossOrigin } from './cross-origin.ts';
import { type Draining, drainable } from './draining.ts';
import { decorateRequests } from './request-log.ts';
import { boundClients, type ClientBounds } from './slow-clients.ts';

/** What happens to every request of an app before its own route. */
export interface ArrivalOptions {
  /** Begins the record of a request. */
  readonly begin: (request: FastifyRequest, reply: FastifyReply) => void;
  readonly connections: ConnectionOptions;
  /** How long clients may take; left out: as long as they want. */
  readonly clients?: ClientBounds | undefined;
  /** The end of the process; left out: what runs is never ended. */
  readonly draining?: Draining | undefined;
  /** Origins of web pages that may call; `*` for all. */
  readonly allowedOrigins?: readonly string[];
  /** Says what is wrong with a request, at once or later; undefined: it may pass. */
  readonly admit?: (request: FastifyRequest, reply: FastifyReply) => Admitted | Promise<Admitted>;
}

type Admitted = ApiError | undefined;

/** Checks and follows all requests of an app, in one synchronous hook: every request pays for each hook. */
export function arrivals(app: FastifyInstance, options: ArrivalOptions): void {
  const { begin, connections, clients, draining, allowedOrigins = [], admit } = options;
  decorateRequests(app);
  limitConnections(app, connections);
  const tooManyHeaders = headerLimit(connections);
  const followClient = clients && boundClients(app, clients);
  const followEnd = draining && drainable(app, draining);
  const enter = (request: FastifyRequest, reply: FastifyReply, done: (error?: ApiError) => void): void => {
    const fault = tooManyHeaders(request);
    if (fault) {
      done(fault);
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
  // Before the guard: a browser asks first without a key, and has to be able to read a refusal.
  crossOrigin(app, allowedOrigins);
  app.addHook('onRequest', enter);
}

async function whenSettled(admitted: Promise<Admitted>, done: (error?: ApiError) => void): Promise<void> {
  done(await admitted.catch((error: ApiError) => error));
}
