import type { FastifyReply } from 'fastify';

/** A signal that aborts when the client leaves before its answer is complete. */
export function requestSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const { raw } = reply;
  if (raw.destroyed) controller.abort();
  else
    raw.once('close', () => {
      if (!raw.writableFinished) controller.abort();
    });
  return controller.signal;
}
