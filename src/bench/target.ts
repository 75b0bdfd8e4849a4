import http from 'node:http';
import https from 'node:https';

/** The server to measure. Plain data, which is sent to worker processes. */
export interface Target {
  /** Without a slash at the end, and without /v1: `http://localhost:9000`. */
  readonly origin: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM of the trusted certificate authorities. */
  readonly ca?: string | undefined;
  /** The server's certificate is not checked. */
  readonly isInsecure?: boolean | undefined;
}

/** The target of a URL. */
export function targetOf(url: string, options: Omit<Target, 'origin'>): Target {
  return { ...options, origin: url.replace(/\/+$/, '').replace(/\/v1$/, '') };
}

/** An HTTP or HTTPS client with persistent connections. */
export interface Client {
  request(path: string, options: http.RequestOptions): http.ClientRequest;
  close(): void;
}

/** Creates a client that opens connections on demand and reuses them. */
export function openClient({ origin, ca, isInsecure }: Target): Client {
  const base = new URL(origin);
  const prefix = base.pathname.replace(/\/$/, '');
  const isTls = base.protocol === 'https:';
  const tls = { ...(ca === undefined ? {} : { ca }), rejectUnauthorized: isInsecure !== true };
  const agent = isTls
    ? new https.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, ...tls })
    : new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const { request } = isTls ? https : http;
  const endpoint = { protocol: base.protocol, hostname: base.hostname.replace(/^\[|\]$/g, ''), port: base.port, agent };
  return {
    request: (path, options) => request({ ...endpoint, ...options, path: `${prefix}${path}` }),
    close: () => agent.destroy(),
  };
}

/** A response of the server; the body is undefined if it is not JSON. */
export interface JsonResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Calls outside the load: GET, or POST of a body. Rejects if the server is unreachable or the signal aborts. */
export type Caller = (path: string, body?: object, signal?: AbortSignal) => Promise<JsonResponse>;

/** A caller with persistent connections. */
export function openCaller(target: Target): Caller {
  const client = openClient(target);
  const headers = { ...target.headers, 'content-type': 'application/json' };
  return async (path, body, signal) =>
    new Promise<JsonResponse>((resolve, reject) => {
      const method = body ? 'POST' : 'GET';
      const request = client.request(path, { method, headers, timeout: longestCall, ...(signal && { signal }) });
      request.on('timeout', () => request.destroy(new Error(`no response within ${longestCall / 1000} s`)));
      request.on('error', reject);
      request.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parsed(text) }));
      });
      request.end(body && JSON.stringify(body));
    });
}

const longestCall = 60_000;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
