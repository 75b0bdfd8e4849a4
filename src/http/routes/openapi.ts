import type { FastifyInstance } from 'fastify';
import { type KnownRoute, openApiDocument } from '../openapi/document.ts';

/** GET /openapi.json: all routes that are added after this one, and this one. */
export function openApiRoute(app: FastifyInstance, { version }: { readonly version: string }): void {
  const routes: KnownRoute[] = [];
  let document: string | undefined;
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) if (each !== 'HEAD') routes.push({ method: each, url });
  });
  app.get('/openapi.json', { config: { api: 'health' } }, async (_request, reply) => {
    document ??= JSON.stringify(openApiDocument({ version, routes }));
    return reply.type('application/json; charset=utf-8').send(document);
  });
}
