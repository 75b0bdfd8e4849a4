import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../errors.ts';
import type { KeyHolder } from '../keys/key-holder.ts';
import { countingWatch, type RequestWatch } from '../request-watch.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The model that the request names, for the log. */
    model: string | undefined;
    /** Whose key the request brought; undefined without keys. */
    key: KeyHolder | undefined;
    /** Hears how the request goes. */
    watch: RequestWatch;
    /** What the request failed with, also when it failed inside a stream. */
    fault: ApiError | undefined;
  }
}

/** One line per request with its outcome; a client that left before its answer was complete is a 499. */
export function requestLog(app: FastifyInstance): void {
  app.decorateRequest('model', undefined);
  app.decorateRequest('key', undefined);
  app.decorateRequest('watch');
  app.decorateRequest('fault', undefined);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    request.watch = countingWatch();
    const start = performance.now();
    // Fastify's own hook does not run for a client that left; a response is closed in every case.
    reply.raw.once('close', () => writeLine(request, reply, performance.now() - start));
  });
}

function writeLine(request: FastifyRequest, reply: FastifyReply, duration: number): void {
  const { fault } = request;
  const hasLeft = !reply.raw.writableFinished;
  const status = hasLeft ? 499 : (fault?.status ?? reply.statusCode);
  const line = {
    method: request.method,
    path: request.url.split('?', 1)[0],
    status,
    ms: Math.round(duration * 10) / 10,
    ...(request.model === undefined ? {} : { model: request.model }),
    ...(request.key === undefined ? {} : { key: request.key.name }),
    ...(fault === undefined ? {} : { code: fault.code, reason: fault.message }),
    ...(fault?.cause === undefined || hasLeft ? {} : { cause: causeText(fault.cause) }),
  };
  if (status >= 500) request.log.error(line, 'request failed');
  else if (status >= 400) request.log.warn(line, hasLeft ? 'client left' : 'request refused');
  else request.log.info(line, 'request');
}

function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.name === 'StatusError' ? cause.message : (cause.stack ?? cause.message);
}
