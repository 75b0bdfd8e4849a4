import { z } from 'zod';
import { inGroup, setting } from './setting.ts';
import { webAddress } from './value-types.ts';

/** Settings of metrics and traces. */
export const telemetrySettings = inGroup('logs', {
  otlpEndpoint: setting(
    webAddress.optional(),
    'Send traces to this OpenTelemetry collector. Port 4317 means gRPC and any other HTTP, unless OTEL_EXPORTER_OTLP_PROTOCOL is set.',
    {
      short: 'o',
      otherVariables: ['OPENAI_TRTLLM_OTLP_ENDPOINT'],
      placeholder: 'URL',
      defaultText: 'from the OTEL_ environment variables, else no traces',
    },
  ),
  tritonMetricsPort: setting(
    z.number().int().min(0).max(65_535).default(0),
    'Include the metrics that the Triton servers have on this port, usually 8002, in /metrics. 0 turns this off. A server that Conch starts is always included.',
  ),
  logPrompts: setting(
    z.boolean().default(false),
    'Log what clients send, including prompts. Without it, Conch never logs a prompt.',
    { live: true },
  ),
});
