import type { Endpoint, NamedSchema } from '../../http/api.ts';
import type { DrainState } from '../../http/draining.ts';
import { constant, object, text } from '../../http/openapi/schema-parts.ts';
import type { ModelRegistry } from '../../models/registry.ts';

/** What health checks depend on. */
export interface HealthServices {
  readonly models: ModelRegistry;
  readonly draining: DrainState;
}

const notReady: NamedSchema = { name: 'NotReady', schema: object({ status: constant('not ready'), reason: text }) };

/** Whether the process runs. */
export const liveEndpoint: Endpoint<unknown> = {
  methods: ['GET'],
  paths: ['/health/live'],
  group: 'health',
  operations: [
    {
      tag: 'health',
      summary: 'Reports that the process runs.',
      response: { name: 'Live', schema: object({ status: constant('live') }) },
    },
  ],
  handler: () => async () => ({ status: 'live' }),
};

/** Whether Conch can serve requests. */
export const readyEndpoint: Endpoint<HealthServices> = {
  methods: ['GET'],
  paths: ['/health', '/health/ready', '/v1/health/ready', '/health_check'],
  group: 'health',
  operations: [
    {
      tag: 'health',
      summary: 'Reports whether Conch can serve requests.',
      response: { name: 'Ready', schema: object({ status: constant('ready') }) },
      unready: notReady,
    },
  ],
  handler:
    ({ models, draining }) =>
    async (_request, reply) => {
      const reason = draining.hasStarted ? 'The server is stopping.' : models.notReadyReason();
      if (reason === undefined) return { status: 'ready' };
      return reply.code(503).header('retry-after', '2').send({ status: 'not ready', reason });
    },
};
