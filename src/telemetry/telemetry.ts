import type { Recorder } from '../request-watch.ts';
import { Labels } from './metrics/labels.ts';
import type { Metrics } from './metrics/metrics.ts';
import { type MetricSources, MetricsReader } from './metrics/read-metrics.ts';
import { MeasuredRequest } from './request-record.ts';
import type { Tracing } from './tracing/trace.ts';

/** Options of telemetry. */
export interface TelemetryOptions extends MetricSources {
  readonly metrics: Metrics;
  /** The model of a name or alias; undefined for unknown names. */
  readonly servedAs: (name: string) => string | undefined;
  /** Undefined if tracing is off. */
  readonly tracing: Tracing | undefined;
}

/** Creates a record of each request, and updates the metrics. */
export interface Telemetry {
  readonly record: Recorder;
  readonly metrics: MetricsReader;
  /** Counts a structured-output guide that was put in quarantine, and whether that suspended its client. */
  readonly countGuide: (model: string, suspends: boolean) => void;
}

/** The telemetry of this process. */
export function createTelemetry({ servedAs, tracing, ...sources }: TelemetryOptions): Telemetry {
  const shared = { metrics: sources.metrics, labels: new Labels(servedAs) };
  return {
    record: (facts) => new MeasuredRequest(shared, facts, tracing?.begin(facts)),
    metrics: new MetricsReader(sources),
    countGuide: (name, suspends) => {
      const model = shared.labels.model(name);
      shared.metrics.quarantinedGuides.at(model).add();
      if (suspends) shared.metrics.suspendedClients.at(model).add();
    },
  };
}
