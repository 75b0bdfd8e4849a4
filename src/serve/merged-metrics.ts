import type { MetricServices } from '../apis/conch/metrics.ts';
import { describeServer, type ServerReport, type ServerServices, type ServerView } from '../apis/conch/servers.ts';
import type { Link } from '../link.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { Balancer } from '../servers/balanced/balancer.ts';
import type { MetricJson } from '../telemetry/metrics/instruments.ts';
import type { MetricsReader } from '../telemetry/metrics/read-metrics.ts';
import { metricsRequest } from './workers/metric-history.ts';

interface Views {
  readonly reports: () => readonly ServerReport[];
  readonly metrics: MetricsReader;
}

/** The servers and metrics of all processes of this Conch, merged. */
export function mergedViews(link: Link, { reports, metrics }: Views): ServerServices & MetricServices {
  link.register('servers', () => reports().map(describeServer));
  link.register(metricsRequest, () => metrics.json());
  return {
    servers: async () => (await link.askAll('servers')).responses as readonly (readonly ServerView[])[],
    metrics: {
      read: async (accept) => {
        const { responses } = await link.askAll(metricsRequest);
        return metrics.merged(responses as readonly (readonly MetricJson[])[], accept);
      },
    },
  };
}

/** The servers of the registry, with the figures of the balancer. */
export function serverReports(registry: ModelRegistry, balancer: Balancer): ServerReport[] {
  const { servers: known } = balancer.snapshot();
  return registry.servers().map(({ server, found, error, hasResponded }) => {
    const figures = known.find((each) => each.server === server) ?? unused;
    const models = found.map(({ name, state, ready }) => ({
      name,
      state: figures.failedEngines.has(ready?.target?.name ?? name) ? 'FAILED' : state || 'NOT LOADED',
      breaker: figures.models.get(ready?.target?.name ?? name) ?? 'closed',
    }));
    return { ...figures, name: server.name, kind: server.kind ?? 'triton', error, isKnown: hasResponded, models };
  });
}

const unused = {
  running: 0,
  requests: 0,
  failures: 0,
  retried: 0,
  failureRate: 0,
  connection: 'closed',
  ejectedFor: 0,
  weight: 1,
  firstResponse: undefined,
  lastFailure: undefined,
  models: new Map<string, never>(),
  failedEngines: new Map<string, never>(),
} as const;
