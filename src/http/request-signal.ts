import type { FastifyReply } from 'fastify';
import type { ApiError } from '../errors.ts';
import { Cancellation, type Signal } from '../signal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends the request with this fault, from elsewhere; there once its signal was asked for. */
    cancel?: (fault: ApiError) => void;
    /** Aborts when the client leaves; there once it was asked for. */
    signalOfLeaving?: Signal;
  }
}

/** A signal that aborts when the client leaves before its answer is complete, or the request is cancelled. */
export function requestSignal(reply: FastifyReply): Signal {
  const { request } = reply;
  if (request.signalOfLeaving) return request.signalOfLeaving;
  const leaving = new Cancellation();
  const { raw } = reply;
  request.cancel = (fault) => leaving.abort(fault);
  if (raw.destroyed) leaving.abort();
  else
    raw.once('close', () => {
      if (!raw.writableFinished) leaving.abort();
    });
  request.signalOfLeaving = leaving;
  return leaving;
}
