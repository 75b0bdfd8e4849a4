import { readFileSync } from 'node:fs';
import type { OtlpOptions } from '../config/otel-variables.ts';
import { StatusError } from '../kserve/status.ts';
import { Channel } from '../servers/remote/channel.ts';
import type { Delivery, SpanTransport } from '../telemetry/tracing/otlp-exporter.ts';

const exportPath = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const connectTimeout = 5_000;
const maxMessageSize = 2 ** 20;

/** The codes after which OTLP clients must retry. */
const temporary = new Set([
  'CANCELLED',
  'DEADLINE_EXCEEDED',
  'RESOURCE_EXHAUSTED',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNAVAILABLE',
  'DATA_LOSS',
]);

/** OTLP over gRPC, on a connection like those to Triton. */
export function otlpGrpc({ url, headers, tls, timeout }: OtlpOptions): SpanTransport {
  const { hostname, port, protocol } = new URL(url);
  const isSecure = protocol === 'https:';
  const channel = new Channel({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (isSecure ? 443 : 80)),
    connectTimeout,
    keepaliveInterval: 0,
    maxMessageSize,
    metadata: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    ...(isSecure ? { secure: pemFiles(tls) } : {}),
  });
  return {
    send: async (message, signal): Promise<Delivery> => {
      try {
        await channel.unary({ path: exportPath, message, signal, timeout });
        return { outcome: 'accepted' };
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        return { outcome: 'refused', reason: error.message || error.code, isTemporary: temporary.has(error.code) };
      }
    },
    close: () => channel.close(),
  };
}

/** Reads the files of a TLS connection. */
export function pemFiles({ ca, cert, key }: OtlpOptions['tls']): { ca?: Buffer; cert?: Buffer; key?: Buffer } {
  return {
    ...(ca === undefined ? {} : { ca: readFileSync(ca) }),
    ...(cert === undefined ? {} : { cert: readFileSync(cert) }),
    ...(key === undefined ? {} : { key: readFileSync(key) }),
  };
}
