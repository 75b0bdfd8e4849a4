import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import type { ApiError } from '../errors.ts';
import type { Recorder } from '../request-watch.ts';
import type { Api } from './api.ts';
import { apiPlugin } from './api-plugin.ts';
import { arrivals } from './arrival.ts';
import { encodingError } from './body-encoding.ts';
import { closeConnections } from './close-connections.ts';
import { type ConnectionOptions, connectionOptions } from './connections.ts';
import { customMethodConstraint } from './custom-method.ts';
import type { DrainState } from './draining.ts';
import { defaultErrors, errorHandler, sendFailure } from './failures.ts';
import { type GuardOptions, guard, requireGroups } from './guard.ts';
import { headerConstraint } from './header-constraint.ts';
import { assumeJson, type BodyLimits, jsonBodies } from './json-body.ts';
import { pathOf } from './path-of.ts';
import { pathError, unknownPaths } from './paths.ts';
import { requestId } from './request-id.ts';
import { beginRecord, serverTiming } from './request-log.ts';
import { requestLogger } from './request-logger.ts';
import { addServedNames } from './served-names.ts';
import type { ClientBounds } from './slow-clients.ts';
import type { ModelServices } from './usable-models.ts';
import { withoutSchemas } from './without-schemas.ts';

/** What the app itself needs; its APIs need more. */
export interface AppServices extends GuardOptions, BodyLimits, ModelServices {
  readonly connections: ConnectionOptions;
  /** Origins of web pages that may send requests; `*` for all. */
  readonly allowedOrigins: readonly string[];
  readonly clients: ClientBounds;
  readonly draining: DrainState;
  readonly logger: FastifyBaseLogger;
  /** Makes the record of each request. */
  readonly record: Recorder;
}

/** All APIs as one HTTP server. Each API has its own plugin. */
export function createApp<Services extends AppServices>(
  services: Services,
  apis: readonly Api<Services>[],
): FastifyInstance {
  const app: FastifyInstance = fastify({
    ...withoutSchemas,
    loggerInstance: services.logger,
    // One line per request is written by request-log.ts.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: services.maxInputSize,
    ...connectionOptions(services.connections),
    childLoggerFactory: requestLogger,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    routerOptions: {
      maxParamLength: 1024,
      ignoreTrailingSlash: true,
      constraints: { header: headerConstraint, customMethod: customMethodConstraint },
    },
    // A path that cannot be decoded fails before routing, and no hook runs.
    frameworkErrors: (error, request, reply) => {
      beginRecord(request, reply, services.record);
      reply.header('x-content-type-options', 'nosniff');
      sendFailure(error, reply, apiOf(request, apis) ?? defaultErrors);
    },
  });
  jsonBodies(app, services);
  closeConnections(app);
  const namedServed = addServedNames(services);
  const pass = guard(app, services);
  app.setErrorHandler(errorHandler(defaultErrors, namedServed));
  const { connections, clients, draining, allowedOrigins } = services;
  arrivals(app, {
    connections,
    clients,
    draining,
    allowedOrigins,
    begin: (request, reply) => {
      beginRecord(request, reply, services.record);
      assumeJson(request);
      reply.header('x-content-type-options', 'nosniff');
    },
    admit: (request, reply) => {
      const passing = pass(request, reply);
      return passing ? passing.then(() => bodyError(request)) : bodyError(request);
    },
  });
  serverTiming(app);
  requireGroups(app);
  unknownPaths(app);
  for (const api of apis) app.register(apiPlugin(api, services, namedServed));
  return app;
}

/** Returns the error of a request whose body must not be read: it has no route, or its body is compressed. */
function bodyError(request: FastifyRequest): ApiError | undefined {
  return request.is404 ? pathError(request) : encodingError(request);
}

/** The API that a path belongs to by its prefix. */
function apiOf<Services>({ url }: FastifyRequest, apis: readonly Api<Services>[]): Api<Services> | undefined {
  const path = pathOf(url);
  const holds = (prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);
  return apis.find(({ prefixes = [] }) => prefixes.some(holds));
}
