import { z } from 'zod';
import { inGroup, setting } from './setting.ts';
import { webAddress } from './value-types.ts';

/** Settings of metrics and traces. */
export const telemetrySettings = inGroup('logs', {
  otlpEndpoint: setting(
    webAddress.optional(),
    'Address of an OpenTelemetry collector that traces are sent to; gRPC on port 4317, HTTP on any other unless OTEL_EXPORTER_OTLP_PROTOCOL says so.',
    {
      short: 'o',
      otherVariables: ['OPENAI_TRTLLM_OTLP_ENDPOINT'],
      placeholder: 'URL',
      defaultText: 'what the OTEL_ variables say, or no traces',
    },
  ),
  tritonMetricsPort: setting(
    z.number().int().min(0).max(65_535).default(0),
    'Port where the Triton servers tell their own metrics, usually 8002, to be passed on under /metrics; 0 for none. One that Conch starts is always asked.',
  ),
  logPrompts: setting(
    z.boolean().default(false),
    'Write what clients send to the log, prompts and all. Without it no prompt is ever logged.',
    { live: true },
  ),
});
