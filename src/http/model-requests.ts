import type { FastifyInstance } from 'fastify';
import type { ModelDoor } from '../models/model-door.ts';
import { requestSignal } from './request-signal.ts';

/** Counts the requests of every route that runs a model, from before it is looked for until the answer is sent. */
export function countRequests(app: FastifyInstance, { door }: { readonly door: ModelDoor }): void {
  app.addHook('preHandler', async (request, reply) => {
    const { api } = request.routeOptions.config;
    if (api !== 'inference' && api !== 'embedding') return;
    const name = (request.body as { model?: unknown } | null | undefined)?.model;
    if (typeof name !== 'string') return;
    request.model = name;
    const { raw } = reply;
    const cancel = (fault: Parameters<NonNullable<typeof request.cancel>>[0]): void => request.cancel?.(fault);
    const leave = await door.enter(name, { cancel, signal: requestSignal(reply) });
    if (leave === undefined) return;
    if (raw.destroyed) leave();
    else raw.once('close', leave);
  });
}
