import type { FastifyInstance } from 'fastify';
import type { ModelRegistry } from '../../models/registry.ts';
import type { Draining } from '../draining.ts';

const readyPaths = ['/health', '/health/ready', '/v1/health/ready', '/health_check'];
const options = { config: { api: 'health' } } as const;

/** Whether the process runs, and whether it can answer requests. */
export function healthRoutes(
  app: FastifyInstance,
  { models, draining }: { readonly models: ModelRegistry; readonly draining: Draining },
): void {
  app.get('/health/live', options, async () => ({ status: 'live' }));
  for (const path of readyPaths)
    app.get(path, options, async (_request, reply) => {
      const reason = draining.isBegun ? 'The server is stopping.' : models.notReadyReason();
      if (reason === undefined) return { status: 'ready' };
      return reply.code(503).header('retry-after', '2').send({ status: 'not ready', reason });
    });
}
