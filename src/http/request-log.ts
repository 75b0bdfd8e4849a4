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

/** One line per request with its outcome, for debugging alone where it is a file of the page; a client that left before its answer was complete is a 499. */
export function requestLog(app: FastifyInstance, record: Recorder = unrecorded): void {
  app.decorateRequest('model', undefined);
  app.decorateRequest('key', undefined);
  // Each request gets its own before anything else happens to it.
  app.decorateRequest('watch', null as unknown as RequestRecord);
  app.decorateRequest('fault', undefined);
  app.decorateRequest('faultCode', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    beginRecord(request, reply, record);
    done();
  });
}

/** Tells every client what is known of the times when its answer begins. */
export function serverTiming(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    tellTiming(request, reply);
    done();
  });
}

/** Begins the record of a request, also of one that no hook is called for. */
export function beginRecord(request: FastifyRequest, reply: FastifyReply, record: Recorder = unrecorded): void {
  reply.header('x-request-id', request.id);
  const { method, headers } = request;
  const start = performance.now();
  const isSecure = request.protocol === 'https';
  const { url: route, config }: Partial<FastifyRequest['routeOptions']> = request.routeOptions ?? {};
  request.watch = record({ method, path: pathOf(request), route, headers, isSecure });
  // Fastify's own hook does not run for a client that left; a response is closed in every case.
  const level = config?.api === 'page' ? 'debug' : 'info';
  const tellsState = config?.api === 'health';
  reply.raw.once('close', () => writeLine(request, reply, { duration: performance.now() - start, level, tellsState }));
}

/** The same for an answer that is written without Fastify. */
export function tellTiming(request: FastifyRequest, reply: FastifyReply): void {
  const timing = request.watch.timing();
  if (timing !== '') reply.header('server-timing', timing);
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] as string;
}

/** How long a request took, and the level of its line where all went well. */
interface Outcome {
  readonly duration: number;
  readonly level: 'debug' | 'info';
  /** Whether a 503 is the state that was asked for, as it is of a health check, and not a failed request. */
  readonly tellsState: boolean;
}

function writeLine(request: FastifyRequest, reply: FastifyReply, { duration, level, tellsState }: Outcome): void {
  const { fault } = request;
  const key = request.key?.name;
  const hasLeft = !reply.raw.writableFinished;
  const status = hasLeft ? 499 : (fault?.status ?? reply.statusCode);
  const code = hasLeft ? 'client_closed_request' : (fault?.code ?? request.faultCode);
  const measured = request.watch.end({ status, code, hasLeft, key });
  const line = {
    reqId: request.id,
    method: request.method,
    path: pathOf(request),
    status,
    ms: Math.round(duration * 10) / 10,
    ...(request.model === undefined ? {} : { model: request.model }),
    ...measured,
    ...(request.faultCode === undefined || hasLeft ? {} : { code: request.faultCode }),
    ...(fault === undefined ? {} : { code: fault.code, reason: fault.message }),
    ...(fault?.cause === undefined || hasLeft ? {} : { cause: causeText(fault.cause) }),
  };
  const { log } = request.server;
  if (tellsState && status === 503 && !fault) log.info(line, 'not ready');
  else if (status >= 500) log.error(line, 'request failed');
  else if (status >= 400) log.warn(line, hasLeft ? 'client left' : 'request refused');
  else log[level](line, 'request');
}

/** What went wrong underneath, for the log. */
export function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.name === 'StatusError' ? cause.message : (cause.stack ?? cause.message);
}
