import { setMaxListeners } from 'node:events';
import type { FastifyReply } from 'fastify';
import type { ApiError } from '../errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends the request with this fault, from elsewhere; there once its signal was asked for. */
    cancel?: (fault: ApiError) => void;
    /** Aborts when the client leaves; there once it was asked for. */
    signalOfLeaving?: AbortSignal;
  }
}

/** A signal that aborts when the client leaves before its answer is complete, or the request is cancelled. */
export function requestSignal(reply: FastifyReply): AbortSignal {
  const { request } = reply;
  if (request.signalOfLeaving) return request.signalOfLeaving;
  const controller = new AbortController();
  // Each answer of a request listens to it.
  setMaxListeners(0, controller.signal);
  const { raw } = reply;
  request.cancel = (fault) => controller.abort(fault);
  if (raw.destroyed) controller.abort();
  else
    raw.once('close', () => {
      if (!raw.writableFinished) controller.abort();
    });
  request.signalOfLeaving = controller.signal;
  return controller.signal;
}
