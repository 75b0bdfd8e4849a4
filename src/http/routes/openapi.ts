import type { FastifyInstance } from 'fastify';
import { type KnownRoute, openApiDocument } from '../openapi/document.ts';
import { docsRoute } from './docs.ts';

/** GET /openapi.json and GET /docs: all routes that are added after these, and these. */
export function openApiRoute(app: FastifyInstance, { version }: { readonly version: string }): void {
  const routes: KnownRoute[] = [];
  let document: string | undefined;
  const readDocument = () => (document ??= JSON.stringify(openApiDocument({ version, routes })));
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) if (each !== 'HEAD') routes.push({ method: each, url });
  });
  app.get('/openapi.json', { config: { api: 'health' } }, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(readDocument()),
  );
  docsRoute(app, readDocument);
}
