import type { OtlpOptions } from '../config/otel-variables.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import type { SpanTransport } from '../telemetry/tracing/otlp-exporter.ts';
import type { Tracing } from '../telemetry/tracing/trace.ts';
import { otlpGrpc, pemFiles } from './otlp-grpc.ts';

interface TracingPlace {
  readonly metrics: Metrics;
  readonly version: string;
  readonly warn: (text: string) => void;
}

/** Milliseconds in which lost spans are told of once. */
const quietTime = 60_000;

/** Traces to the collector that the options name; without one, no code of OpenTelemetry is loaded. */
export async function startTracing(
  options: OtlpOptions | undefined,
  { metrics, version, warn }: TracingPlace,
): Promise<Tracing | undefined> {
  if (!options) return undefined;
  const { openTracing } = await import('../telemetry/tracing/open-tracing.ts');
  const transport = await transportOf(options);
  const { host } = new URL(options.url);
  let isTold = false;
  let lost = 0;
  const tellLost = (spans: number, reason: string): void => {
    metrics.spans.at('lost').add(spans);
    lost += spans;
    if (isTold) return;
    isTold = true;
    warn(`the collector at ${host} did not take ${lost} spans: ${reason}; more of the like is told in a minute`);
    lost = 0;
    setTimeout(() => {
      isTold = false;
    }, quietTime).unref();
  };
  return openTracing({
    ...options,
    transport,
    version,
    isJson: options.protocol === 'http/json',
    resource: { ...options.resource, 'service.name': options.serviceName, 'service.version': version },
    onSent: (spans) => metrics.spans.at('sent').add(spans),
    onLost: tellLost,
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
    throw new SettingsError([`The files of OTEL_EXPORTER_OTLP_CERTIFICATE and its like cannot be read: ${reason}.`]);
  }
}
