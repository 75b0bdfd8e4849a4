import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../errors.ts';
import type { KeyHolder } from '../keys/key-holder.ts';
import { type Recorder, type RequestRecord, unrecorded } from '../request-watch.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The model that the request names, for the log. */
    model: string | undefined;
    /** Whose key the request brought; undefined without keys. */
    key: KeyHolder | undefined;
    /** Hears how the request goes. */
    watch: RequestRecord;
    /** What the request failed with, also when it failed inside a stream. */
    fault: ApiError | undefined;
    /** The code of a failure that is told in another protocol's words. */
    faultCode: string | undefined;
  }
}

/** Gives the requests of an app the members that their log line is made of. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('endpoint', undefined);
  app.decorateRequest('model', undefined);
  app.decorateRequest('key', undefined);
  // Each request gets its own before anything else happens to it.
  app.decorateRequest('watch', null as unknown as RequestRecord);
  app.decorateRequest('fault', undefined);
  app.decorateRequest('faultCode', undefined);
}

/** Tells every client what is known of the times when its response begins. */
export function serverTiming(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    tellTiming(request, reply);
    done();
  });
}

/**
 * Begins the record of a request, also of one that no hook is called for. At its end it has one line in the log; a
 * client that disconnected before its response was complete is a 499.
 */
export function beginRecord(request: FastifyRequest, reply: FastifyReply, record: Recorder = unrecorded): void {
  reply.header('x-request-id', request.id);
  const { method, headers } = request;
  const start = performance.now();
  // Fastify makes these options anew each time that they are read.
  const { url: route, config }: Partial<FastifyRequest['routeOptions']> = request.routeOptions ?? {};
  const endpoint = config?.endpoint;
  const path = pathOf(request);
  request.endpoint = endpoint;
  request.watch = record({
    method,
    path,
    route,
    operation: endpoint?.operation,
    headers,
    isSecure: request.protocol === 'https',
  });
  // Fastify's own hook does not run for a client that disconnected; a response is closed in every case.
  reply.raw.once('close', () => writeLine(request, reply, { path, duration: performance.now() - start }));
}

/** The same for an answer that is written without Fastify. */
export function tellTiming(request: FastifyRequest, reply: FastifyReply): void {
  const timing = request.watch.timing();
  if (timing !== '') reply.header('server-timing', timing);
}

function pathOf({ url }: FastifyRequest): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

interface Outcome {
  readonly path: string;
  readonly duration: number;
}

function writeLine(request: FastifyRequest, reply: FastifyReply, { path, duration }: Outcome): void {
  const { fault } = request;
  const key = request.key?.name;
  const hasLeft = !reply.raw.writableFinished;
  const status = hasLeft ? 499 : (fault?.status ?? reply.statusCode);
  const code = hasLeft ? 'client_closed_request' : (fault?.code ?? request.faultCode);
  const measured = request.watch.end({ status, code, hasLeft, key });
  const line: Record<string, string | number> = {
    reqId: request.id,
    method: request.method,
    path,
    status,
    ms: Math.round(duration * 10) / 10,
  };
  if (request.model !== undefined) line['model'] = request.model;
  for (const name in measured) line[name] = measured[name] as string | number;
  if (request.faultCode !== undefined && !hasLeft) line['code'] = request.faultCode;
  if (fault) {
    line['code'] = fault.code;
    line['reason'] = fault.message;
    if (fault.cause !== undefined && !hasLeft) line['cause'] = causeText(fault.cause);
  }
  const { log } = request.server;
  const group = request.endpoint?.group;
  // To a health check, a 503 is the state that it asked for.
  if (group === 'health' && status === 503 && !fault) log.info(line, 'not ready');
  else if (status >= 500) log.error(line, 'request failed');
  else if (status >= 400) log.warn(line, hasLeft ? 'client left' : 'request refused');
  else log[group === 'page' ? 'debug' : 'info'](line, 'request');
}

/** What went wrong underneath, for the log. */
export function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.name === 'StatusError' ? cause.message : (cause.stack ?? cause.message);
}
