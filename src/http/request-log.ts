import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../errors.ts';
import type { KeyHolder } from '../keys/key-holder.ts';
import { countingRecorder, type Recorder, type RequestRecord } from '../request-watch.ts';
import { pathOf } from './path-of.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The model in the request, for the log. */
    model: string | undefined;
    /** The holder of the request's key; undefined without keys. */
    key: KeyHolder | undefined;
    /** Records the progress of the request. */
    watch: RequestRecord;
    /** The error of the request, also inside a stream. */
    error: ApiError | undefined;
    /** The code of an error in another protocol's format. */
    errorCode: string | undefined;
  }
}

/** Adds the members that the log line needs to the requests of an app. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('endpoint', undefined);
  app.decorateRequest('model', undefined);
  app.decorateRequest('key', undefined);
  // Each request gets its own record first.
  app.decorateRequest('watch', null as unknown as RequestRecord);
  app.decorateRequest('error', undefined);
  app.decorateRequest('errorCode', undefined);
}

/** Adds the Server-Timing header to every response. */
export function serverTiming(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    setServerTiming(request, reply);
    done();
  });
}

/**
 * Starts the record of a request, also if no hook runs for it. At its end, one line is logged. A client that
 * disconnected before its response was complete is a 499.
 */
export function beginRecord(request: FastifyRequest, reply: FastifyReply, record: Recorder = countingRecorder): void {
  reply.header('x-request-id', request.id);
  const { method, headers } = request;
  const start = performance.now();
  // Fastify creates these options on each read.
  const { url: route, config }: Partial<FastifyRequest['routeOptions']> = request.routeOptions ?? {};
  const endpoint = config?.endpoint;
  const path = pathOf(request.url);
  request.endpoint = endpoint;
  request.watch = record({
    method,
    path,
    route: routeName(route, endpoint?.customMethod),
    operation: endpoint?.operation,
    headers,
    isSecure: request.protocol === 'https',
  });
  // Fastify's own hook does not run if the client disconnects; the close event always fires.
  reply.raw.once('close', () => writeLine(request, reply, { path, duration: performance.now() - start }));
}

/** Adds the Server-Timing header to a response that is written without Fastify. */
export function setServerTiming(request: FastifyRequest, reply: FastifyReply): void {
  const timing = request.watch.timing();
  if (timing !== '') reply.header('server-timing', timing);
}

function routeName(route: string | undefined, customMethod: string | undefined): string | undefined {
  return customMethod === undefined ? route : `${route}:${customMethod}`;
}

interface Outcome {
  readonly path: string;
  readonly duration: number;
}

function writeLine(request: FastifyRequest, reply: FastifyReply, { path, duration }: Outcome): void {
  const { error } = request;
  const key = request.key?.name;
  const hasDisconnected = !reply.raw.writableFinished;
  const status = hasDisconnected ? 499 : (error?.status ?? reply.statusCode);
  const code = hasDisconnected ? 'client_closed_request' : (error?.code ?? request.errorCode);
  const measured = request.watch.end({ status, code, hasDisconnected, key });
  const line: Record<string, string | number> = {
    reqId: request.id,
    method: request.method,
    path,
    status,
    ms: Math.round(duration * 10) / 10,
  };
  if (request.model !== undefined) line['model'] = request.model;
  for (const name in measured) line[name] = measured[name] as string | number;
  if (request.errorCode !== undefined && !hasDisconnected) line['code'] = request.errorCode;
  if (error) {
    line['code'] = error.code;
    line['reason'] = error.message;
    if (error.cause !== undefined && !hasDisconnected) line['cause'] = causeText(error.cause);
  }
  const { log } = request.server;
  const group = request.endpoint?.group;
  // For a health check, a 503 is a regular result.
  if (group === 'health' && status === 503 && !error) log.info(line, 'not ready');
  else if (status >= 500) log.error(line, 'request failed');
  else if (status >= 400) log.warn(line, hasDisconnected ? 'client disconnected' : 'request rejected');
  else log[group === 'page' ? 'debug' : 'info'](line, 'request');
}

/** The cause of an error, for the log. */
export function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.name === 'StatusError' ? cause.message : (cause.stack ?? cause.message);
}
