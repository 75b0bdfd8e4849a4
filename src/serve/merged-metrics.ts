import type { MetricServices } from '../apis/conch/metrics.ts';
import { describeServer, type ServerReport, type ServerServices, type ServerView } from '../apis/conch/servers.ts';
import type { Link } from '../link.ts';
import type { MetricJson } from '../telemetry/metrics/instruments.ts';
import type { MetricsReader } from '../telemetry/metrics/read-metrics.ts';
import { metricsQuestion } from './workers/metric-history.ts';

interface Views {
  readonly reports: () => readonly ServerReport[];
  readonly metrics: MetricsReader;
}

/** What all processes of this Conch see, as one: its servers and its metrics. */
export function oneView(link: Link, { reports, metrics }: Views): ServerServices & MetricServices {
  link.register('servers', () => reports().map(describeServer));
  link.register(metricsQuestion, () => metrics.json());
  return {
    servers: async () => (await link.askAll('servers')).answers as readonly (readonly ServerView[])[],
    metrics: {
      read: async (accept) => {
        const { answers } = await link.askAll(metricsQuestion);
        return metrics.merged(answers as readonly (readonly MetricJson[])[], accept);
      },
    },
  };
}
