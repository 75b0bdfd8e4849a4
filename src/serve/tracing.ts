import type { OtlpOptions } from '../config/otel-variables.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import type { SpanTransport } from '../telemetry/tracing/otlp-exporter.ts';
import type { Tracing } from '../telemetry/tracing/trace.ts';
import { otlpGrpc, pemFiles } from './otlp-grpc.ts';

interface TracingContext {
  readonly metrics: Metrics;
  readonly version: string;
  readonly warn: (text: string) => void;
}

/** Starts tracing to a collector. Without one, no code of OpenTelemetry is loaded. */
export async function startTracing(
  options: OtlpOptions | undefined,
  { metrics, version, warn }: TracingContext,
): Promise<Tracing | undefined> {
  if (!options) return undefined;
  const { openTracing } = await import('../telemetry/tracing/open-tracing.ts');
  const transport = await transportOf(options);
  const { host } = new URL(options.url);
  const reportLost = lostSpans((spans, reason) =>
    warn(`the collector at ${host} did not accept ${spans} spans: ${reason}; further losses are reported in a minute`),
  );
  return openTracing({
    ...options,
    transport,
    version,
    isJson: options.protocol === 'http/json',
    resource: { ...options.resource, 'service.name': options.serviceName, 'service.version': version },
    onSent: (spans) => metrics.spans.at('sent').add(spans),
    onLost: (spans, reason) => {
      metrics.spans.at('lost').add(spans);
      reportLost(spans, reason);
    },
  });
}

async function transportOf(options: OtlpOptions): Promise<SpanTransport> {
  try {
    if (options.protocol === 'grpc') return otlpGrpc(options);
    const { otlpHttp } = await import('../telemetry/tracing/otlp-http.ts');
    const contentType = options.protocol === 'http/json' ? 'application/json' : 'application/x-protobuf';
    return otlpHttp({ ...options, contentType, tls: pemFiles(options.tls) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError([
      `A file of OTEL_EXPORTER_OTLP_CERTIFICATE, _CLIENT_CERTIFICATE or _CLIENT_KEY cannot be read: ${reason}.`,
    ]);
  }
}

/** Milliseconds between two log lines about lost spans. */
const quietTime = 60_000;

/** Reports lost spans: the first ones at once, then the sum of each quiet time at its end. */
export function lostSpans(tell: (spans: number, reason: string) => void): (spans: number, reason: string) => void {
  let isQuiet = false;
  let lost = 0;
  let why = '';
  const tellAll = (): void => {
    isQuiet = lost > 0;
    if (!isQuiet) return;
    tell(lost, why);
    lost = 0;
    setTimeout(tellAll, quietTime).unref();
  };
  return (spans, reason) => {
    lost += spans;
    why = reason;
    if (!isQuiet) tellAll();
  };
}
