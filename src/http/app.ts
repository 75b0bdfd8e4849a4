import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { messageRoutes } from '../apis/anthropic/routes.ts';
import { ollamaModelRoutes } from '../apis/ollama/model-routes.ts';
import { ollamaRoutes } from '../apis/ollama/routes.ts';
import { embeddingRoutes, type RowsServices } from '../apis/openai/embeddings-routes.ts';
import { generateRoutes } from '../apis/openai/generate-routes.ts';
import { loraRoutes } from '../apis/openai/lora-routes.ts';
import { type ControlServices, modelControlRoutes } from '../apis/openai/model-control-routes.ts';
import { type ModelServices, modelRoutes } from '../apis/openai/models-routes.ts';
import { rerankRoutes } from '../apis/openai/rerank-routes.ts';
import { type ResponseServices, responseRoutes } from '../apis/openai/responses/routes.ts';
import { tokenizeRoutes } from '../apis/openai/tokenize-routes.ts';
import type { AdapterServices } from '../models/adapter-loading.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { Recorder } from '../request-watch.ts';
import { closeConnections } from './close-connections.ts';
import { type ConnectionOptions, connectionOptions, limitConnections } from './connections.ts';
import { crossOrigin } from './cross-origin.ts';
import { type Draining, drainable } from './draining.ts';
import { sendFailure } from './failures.ts';
import { type GuardOptions, guard } from './guard.ts';
import { type BodyLimits, jsonBodies } from './json-body.ts';
import { unknownPaths } from './paths.ts';
import { requestId } from './request-id.ts';
import { beginRecord, requestLog, serverTiming } from './request-log.ts';
import { requestLogger } from './request-logger.ts';
import { healthRoutes } from './routes/health.ts';
import { type MetricServices, metricRoutes } from './routes/metrics.ts';
import { openApiRoute } from './routes/openapi.ts';
import { type PageServices, pageRoutes } from './routes/page.ts';
import { type ServerServices, serverRoutes } from './routes/servers.ts';
import { securityHeaders } from './security-headers.ts';
import { namingServed } from './served-names.ts';
import { boundClients, type ClientBounds } from './slow-clients.ts';
import { withoutSchemas } from './without-schemas.ts';

/** Everything that the HTTP side is built from. */
export interface Services
  extends ResponseServices,
    RowsServices,
    GuardOptions,
    ControlServices,
    ModelServices,
    ServerServices,
    MetricServices,
    AdapterServices,
    BodyLimits,
    PageServices {
  readonly connections: ConnectionOptions;
  /** Origins of web pages that may call; `*` for all. */
  readonly allowedOrigins: readonly string[];
  readonly models: ModelRegistry;
  readonly clients: ClientBounds;
  readonly draining: Draining;
  /** Bytes of the largest body. */
  readonly maxInputSize: number;
  /** Of Conch itself. */
  readonly version: string;
  readonly logger: FastifyBaseLogger;
  /** Makes the record of each request. */
  readonly record: Recorder;
}

/** The OpenAI side: every route, behind its guard and one error handler. */
export function createApp(services: Services): FastifyInstance {
  const app: FastifyInstance = fastify({
    ...withoutSchemas,
    loggerInstance: services.logger,
    // One line per request is written by request-log.ts.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: services.maxInputSize,
    ...connectionOptions(services.connections),
    childLoggerFactory: requestLogger,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    routerOptions: { maxParamLength: 1024, ignoreTrailingSlash: true },
    // A path that cannot be decoded fails before any route is found, and without any hook.
    frameworkErrors: (error, request, reply) => {
      beginRecord(request, reply, services.record);
      reply.header('x-content-type-options', 'nosniff');
      sendFailure(error, request, reply);
    },
  });
  jsonBodies(app, services);
  closeConnections(app);
  const namedServed = namingServed(services);
  app.setErrorHandler((error, request, reply) => sendFailure(namedServed(error, request), request, reply));
  requestLog(app, services.record);
  serverTiming(app);
  securityHeaders(app);
  crossOrigin(app, services.allowedOrigins);
  limitConnections(app, services.connections);
  boundClients(app, services.clients);
  drainable(app, services.draining);
  unknownPaths(app);
  guard(app, services);
  // Before the description of the API, which it is no part of.
  pageRoutes(app, services);
  openApiRoute(app, services);
  generateRoutes(app, services);
  responseRoutes(app, services);
  messageRoutes(app, services);
  ollamaRoutes(app, services);
  ollamaModelRoutes(app, services);
  tokenizeRoutes(app, services);
  embeddingRoutes(app, services);
  rerankRoutes(app, services);
  modelRoutes(app, services);
  modelControlRoutes(app, services);
  loraRoutes(app, services);
  serverRoutes(app, services);
  healthRoutes(app, services);
  metricRoutes(app, services);
  return app;
}
