import type { FastifyReply } from 'fastify';
import type { ApiError } from '../errors.ts';
import { Cancellation, type Signal } from '../signal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Cancels the request with this error. Set by the first call of `requestSignal`. */
    cancel?: (fault: ApiError) => void;
    /** Aborts when the client disconnects. Set by the first call of `requestSignal`. */
    signalOfLeaving?: Signal;
  }
}

/** Aborts when the client disconnects before its response is complete, or when the request is cancelled. */
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
