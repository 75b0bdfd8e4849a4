import http from 'node:http';
import https from 'node:https';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Delivery, SpanTransport } from './otlp-exporter.ts';

/** The address and encoding of an OTLP collector. */
export interface OtlpHttpOptions {
  readonly url: string;
  readonly contentType: 'application/x-protobuf' | 'application/json';
  readonly headers: Readonly<Record<string, string>>;
  readonly isCompressed: boolean;
  readonly tls: {
    readonly ca?: Buffer | undefined;
    readonly cert?: Buffer | undefined;
    readonly key?: Buffer | undefined;
  };
}

const compress = promisify(gzip);

/** The statuses that OTLP defines as retryable. */
const temporary = new Set([429, 502, 503, 504]);

/** OTLP over HTTP, on persistent connections. */
export function otlpHttp({ url, contentType, headers, isCompressed, tls }: OtlpHttpOptions): SpanTransport {
  const isSecure = url.startsWith('https:');
  const agent = isSecure
    ? new https.Agent({ keepAlive: true, maxSockets: 2, ...tls })
    : new http.Agent({ keepAlive: true, maxSockets: 2 });
  const sent = {
    ...headers,
    'content-type': contentType,
    'user-agent': 'conch',
    ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
  };
  return {
    send: async (body, signal) => {
      const bytes = isCompressed ? await compress(body) : body;
      return new Promise<Delivery>((resolve, reject) => {
        const request = (isSecure ? https : http).request(
          url,
          { method: 'POST', agent, signal, headers: { ...sent, 'content-length': bytes.length } },
          (response) => {
            // The response is not needed, but reading it to its end frees the connection.
            response.resume();
            response.once('error', reject);
            response.once('end', () => resolve(deliveryOf(response)));
          },
        );
        request.once('error', reject);
        request.end(bytes);
      });
    },
    close: async () => agent.destroy(),
  };
}

function deliveryOf({ statusCode: status = 0, headers }: http.IncomingMessage): Delivery {
  if (status >= 200 && status < 300) return { outcome: 'accepted' };
  const after = Number(headers['retry-after']);
  return {
    outcome: 'refused',
    reason: `it returned HTTP ${status}`,
    isTemporary: temporary.has(status),
    retryIn: Number.isFinite(after) ? after * 1000 : undefined,
  };
}
