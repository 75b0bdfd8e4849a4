import type { FastifyInstance } from 'fastify';

/** What the metrics are read from. */
export interface MetricServices {
  readonly metrics: {
    /** In the form that the Accept header asks for. */
    read(accept: string | undefined): Promise<{ readonly contentType: string; readonly text: string }>;
  };
}

/** GET /metrics, for Prometheus. */
export function metricRoutes(app: FastifyInstance, { metrics }: MetricServices): void {
  app.get('/metrics', { config: { api: 'metrics' } }, async (request, reply) => {
    const { contentType, text } = await metrics.read(request.headers.accept);
    return reply.type(contentType).send(text);
  });
}
