import type { FastifyReply } from 'fastify';
import type { ApiError } from '../errors.ts';
import { Cancellation, type Signal } from '../signal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Cancels the request with this error. Set by the first call of `requestSignal`. */
    cancel?: (error: ApiError) => void;
    /** Aborts when the client disconnects. Set by the first call of `requestSignal`. */
    disconnectSignal?: Signal;
  }
}

/** Aborts when the client disconnects before its response is complete, or when the request is cancelled. */
export function requestSignal(reply: FastifyReply): Signal {
  const { request } = reply;
  if (request.disconnectSignal) return request.disconnectSignal;
  const cancellation = new Cancellation();
  const { raw } = reply;
  request.cancel = (error) => cancellation.abort(error);
  if (raw.destroyed) cancellation.abort();
  else
    raw.once('close', () => {
      if (!raw.writableFinished) cancellation.abort();
    });
  request.disconnectSignal = cancellation;
  return cancellation;
}
