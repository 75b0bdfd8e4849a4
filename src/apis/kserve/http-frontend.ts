import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { ApiError } from '../../errors.ts';
import { arrivals } from '../../http/arrival.ts';
import { closeConnections } from '../../http/close-connections.ts';
import { connectionOptions, usualConnections } from '../../http/connections.ts';
import { countForKey, runsModels } from '../../http/guard.ts';
import { pathOf } from '../../http/path-of.ts';
import { requestId } from '../../http/request-id.ts';
import { beginRecord } from '../../http/request-log.ts';
import { requestLogger } from '../../http/request-logger.ts';
import { requestSignal } from '../../http/request-signal.ts';
import { type RestrictionCheck, restrictionCheck } from '../../http/restricted-apis.ts';
import { withoutSchemas } from '../../http/without-schemas.ts';
import { StatusError } from '../../kserve/status.ts';
import { readBody } from './body.ts';
import { generateRoutes } from './generate-route.ts';
import { healthRoutes } from './health-routes.ts';
import { codeOfStatus, failure, failureOf, type HttpResponse, jsonType, plainType } from './http-response.ts';
import { inferRoute } from './infer-route.ts';
import { kserveHolder, refuseUncounted } from './key-guard.ts';
import { KeyedServer } from './keyed-server.ts';
import { modelRoutes } from './model-routes.ts';
import type { KserveOptions } from './options.ts';
import { repositoryRoutes } from './repository-routes.ts';
import { type Exchange, type Route, routeName } from './route.ts';
import { settingRoutes } from './setting-routes.ts';
import { sharedMemoryRoutes } from './shared-memory-routes.ts';
import { WatchedCalls } from './watched-calls.ts';

/** What the HTTP frontend is built from. */
export interface KserveHttpOptions extends KserveOptions {
  /** Maximum size of a body in bytes, compressed or not. */
  readonly maxInputSize: number;
}

// The order matters if a path matches two patterns: /v2/models/stats is no model.
const routes: readonly Route[] = [
  ...settingRoutes,
  ...modelRoutes,
  inferRoute,
  ...generateRoutes,
  ...healthRoutes,
  ...sharedMemoryRoutes,
  ...repositoryRoutes,
];

/** The v2 protocol over HTTP, as Triton serves it on port 8000. */
export function createKserveHttp(options: KserveHttpOptions): FastifyInstance {
  const connections = options.connections ?? usualConnections;
  const app: FastifyInstance = fastify({
    ...withoutSchemas,
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    ...connectionOptions(connections, ({ message }) => ({ error: message })),
    childLoggerFactory: requestLogger,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    // A path that cannot be decoded names no model either.
    frameworkErrors: (_error, request, reply) => {
      beginRecord(request, reply, options.record);
      void send(reply, failure(404, 'Not Found', plainType));
    },
  });
  const missingHeader = restrictionCheck(options.restrictedApis ?? []);
  closeConnections(app);
  arrivals(app, {
    connections,
    clients: options.clients,
    draining: options.draining,
    begin: (request, reply) => beginRecord(request, reply, options.record),
  });
  app.setErrorHandler((error, request, reply) => send(reply, frameworkFailure(error, request)));
  app.removeAllContentTypeParsers();
  // The route reads the body, so that errors have the content type of the route.
  app.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
  app.all('*', async (request, reply) => {
    const response = await responseTo(request, reply, { ...options, missingHeader });
    return response ? send(reply, response) : reply;
  });
  app.setNotFoundHandler((_request, reply) => send(reply, failure(405, 'Method Not Allowed', plainType)));
  return app;
}

interface Guards {
  readonly missingHeader: RestrictionCheck;
}

async function responseTo(
  request: FastifyRequest,
  reply: FastifyReply,
  { server, sharedMemory, maxInputSize, keys, keyLimits, missingHeader }: KserveHttpOptions & Guards,
): Promise<HttpResponse | undefined> {
  const path = pathOf(request.url);
  for (const route of routes) {
    const found = route.path.exec(path);
    if (!found) continue;
    request.watch.route = routeName(route);
    try {
      if (!route.isOpen) request.key = await kserveHolder(request.headers, keys);
    } catch (error) {
      return errorResponse(error, request, { ...route, contentType: jsonType });
    }
    const missing = missingHeader(route.api, request.headers);
    if (missing !== undefined) return failure(403, `This API is restricted, expecting header '${missing}'`, plainType);
    if (!(route.methods as readonly string[]).includes(request.method))
      return failure(405, 'Method Not Allowed', route.contentType);
    const { key } = request;
    try {
      if (key && runsModels(route.api)) {
        refuseUncounted(key);
        await countForKey(request, reply, { holder: key, keyLimits });
      }
      const body = request.method === 'POST' ? await readBody(request.raw, maxInputSize) : Buffer.alloc(0);
      const names: Exchange['names'] = found.groups ?? {};
      request.model = names['model'];
      if (route.api === 'inference') request.watch.setRequest(names['model'] ?? '');
      return await route.respond({
        server: new WatchedCalls(key ? new KeyedServer(server, { holder: key }) : server, request.watch),
        sharedMemory,
        maxInputSize,
        request,
        reply,
        body,
        names,
        signal: requestSignal(reply),
      });
    } catch (error) {
      const { reason } = requestSignal(reply);
      if (!reply.sent && reason instanceof ApiError) return failure(reason.status, reason.message, route.contentType);
      if (!reply.sent) return errorResponse(error, request, route);
      // The response has started: break it off, so that the client does not take it for complete.
      request.log.error(error, 'a KServe stream met an unexpected condition');
      reply.raw.destroy();
      return undefined;
    }
  }
  request.watch.route = undefined;
  return failure(404, 'Not Found', plainType);
}

/** The response to a request that fails before its route: too many headers, or an invalid content type. */
function frameworkFailure(error: unknown, request: FastifyRequest): HttpResponse {
  if (error instanceof ApiError) return failure(error.status, error.message, jsonType);
  const { statusCode = 500, message } = error as FastifyError;
  if (statusCode < 500) return failure(statusCode, message, jsonType);
  request.log.error(error, 'a KServe request met an unexpected condition');
  return failure(500, 'The server met an unexpected condition. The log has the details.', jsonType);
}

function errorResponse(error: unknown, request: FastifyRequest, route: Route): HttpResponse {
  if (error instanceof StatusError) return failureOf(error, route.contentType);
  if (error instanceof ApiError) return limitResponse(error);
  request.log.error(error, 'a KServe request met an unexpected condition');
  return failure(500, 'The server met an unexpected condition. The log has the details.', route.contentType);
}

/** The response to a request above the limits of its key. */
function limitResponse({ code, status, message, retryAfter, headers }: ApiError): HttpResponse {
  const retry = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { ...failure(status, message, jsonType), code, headers: { ...headers, ...retry } };
}

/** Header names keep Triton's spelling. */
function send(reply: FastifyReply, { status, contentType, headers, body, code }: HttpResponse): FastifyReply {
  reply.request.errorCode = code ?? codeOfStatus(status);
  if (!reply.request.raw.complete) reply.header('connection', 'close');
  return reply
    .code(status)
    .headers({ 'content-type': contentType, ...headers })
    .send(body);
}
