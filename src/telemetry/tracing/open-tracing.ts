import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { Sampler } from '@opentelemetry/sdk-trace';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { type BatchOptions, BoundedProcessor } from './bounded-processor.ts';
import { OtlpExporter, type SpanTransport } from './otlp-exporter.ts';
import { SpanTrace } from './span-trace.ts';
import type { Tracing } from './trace.ts';

/** Options of tracing. Times in milliseconds. */
export interface TracingOptions {
  readonly transport: SpanTransport;
  readonly isJson: boolean;
  readonly timeout: number;
  readonly resource: Readonly<Record<string, string>>;
  readonly version: string;
  readonly sampler: { readonly kind: string; readonly isParentBased: boolean; readonly ratio: number };
  readonly batch: BatchOptions;
  readonly onSent: (spans: number) => void;
  readonly onLost: (spans: number, reason: string) => void;
}

/** The maximum time that the end of the process waits for the collector. */
const longestFlush = 5_000;

/** Starts tracing. This file, and with it OpenTelemetry, is loaded only if tracing is on. */
export function openTracing({ isJson, resource, version, batch, ...options }: TracingOptions): Tracing {
  const serializer = isJson ? JsonTraceSerializer : ProtobufTraceSerializer;
  const exporter = new OtlpExporter({ ...options, serialize: (spans) => serializer.serializeRequest(spans) });
  const provider = new TracerProvider({
    resource: resourceFromAttributes(resource),
    sampler: samplerOf(options.sampler),
    spanProcessors: [new BoundedProcessor({ exporter, batch, onLost: options.onLost })],
  });
  const tracer = provider.getTracer('conch', version);
  return {
    begin: (facts) => SpanTrace.begin(tracer, facts),
    close: async () => {
      const flushed = provider.forceFlush({ timeoutMillis: longestFlush }).catch(() => undefined);
      await flushed;
      await exporter.shutdown();
      await provider.shutdown().catch(() => undefined);
    },
  };
}

function samplerOf({ kind, isParentBased, ratio }: TracingOptions['sampler']): Sampler {
  const root =
    kind === 'always_off'
      ? new AlwaysOffSampler()
      : kind === 'traceidratio'
        ? new TraceIdRatioBasedSampler(ratio)
        : new AlwaysOnSampler();
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}
