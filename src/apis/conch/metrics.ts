import type { Endpoint } from '../../http/api.ts';

/** Where the metrics are read. */
export interface MetricServices {
  readonly metrics: {
    /** In the format that the Accept header requests. */
    read(accept: string | undefined): Promise<{ readonly contentType: string; readonly text: string }>;
  };
}

/** GET /metrics, for Prometheus. */
export const metricsEndpoint: Endpoint<MetricServices> = {
  methods: ['GET'],
  paths: ['/metrics'],
  group: 'metrics',
  operations: [{ tag: 'servers', summary: 'Returns the metrics, for Prometheus.', response: 'text' }],
  handler:
    ({ metrics }) =>
    async (request, reply) => {
      const { contentType, text } = await metrics.read(request.headers.accept);
      return reply.type(contentType).send(text);
    },
};
