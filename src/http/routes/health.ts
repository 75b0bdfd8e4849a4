import type { FastifyInstance } from 'fastify';
import type { ModelRegistry } from '../../models/registry.ts';

/** Paths that answer without a key. */
export const healthPaths = ['/health', '/health/live', '/health/ready', '/v1/health/ready', '/health_check'];

/** Whether the process runs, and whether it can answer requests. */
export function healthRoutes(app: FastifyInstance, { models }: { readonly models: ModelRegistry }): void {
  app.get('/health/live', async () => ({ status: 'live' }));
  for (const path of healthPaths.filter((candidate) => candidate !== '/health/live'))
    app.get(path, async (_request, reply) => {
      const reason = models.notReadyReason();
      if (reason === undefined) return { status: 'ready' };
      return reply.code(503).header('retry-after', '2').send({ status: 'not ready', reason });
    });
}
