import type { MetricServices } from '../http/routes/metrics.ts';
import { describeServer, type ServerReport, type ServerServices, type ServerView } from '../http/routes/servers.ts';
import type { Link } from '../link.ts';
import type { MetricJson } from '../telemetry/metrics/instruments.ts';
import type { MetricsReader } from '../telemetry/metrics/read-metrics.ts';

interface Views {
  readonly reports: () => readonly ServerReport[];
  readonly metrics: MetricsReader;
}

/** What all processes of this Conch see, as one: its servers and its metrics. */
export function oneView(link: Link, { reports, metrics }: Views): ServerServices & MetricServices {
  link.register('servers', () => reports().map(describeServer));
  link.register('metrics', () => metrics.json());
  return {
    servers: async () => (await link.askAll('servers')) as readonly (readonly ServerView[])[],
    metrics: {
      read: async (accept) => {
        const parts = (await link.askAll('metrics')) as readonly (readonly MetricJson[])[];
        return metrics.merged(parts, accept);
      },
    },
  };
}
