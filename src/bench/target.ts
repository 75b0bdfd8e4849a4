import http from 'node:http';
import https from 'node:https';

/** The server that is measured. Plain data: worker processes get it as it is. */
export interface Target {
  /** Without a slash at the end, and without /v1: `http://localhost:9000`. */
  readonly origin: string;
  /** Go with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM of the authorities that may vouch for the server. */
  readonly ca?: string | undefined;
  /** The server's certificate is not checked. */
  readonly isInsecure?: boolean | undefined;
}

/** What there is to know of how a target is reached. */
export function targetOf(url: string, options: Omit<Target, 'origin'>): Target {
  return { ...options, origin: url.replace(/\/+$/, '').replace(/\/v1$/, '') };
}

/** One way to send requests: plain or over TLS, with connections that are kept. */
export interface Client {
  request(path: string, options: http.RequestOptions): http.ClientRequest;
  close(): void;
}

/** Opens connections as they are needed and uses them again. */
export function openClient({ origin, ca, isInsecure }: Target): Client {
  const base = new URL(origin);
  const prefix = base.pathname.replace(/\/$/, '');
  const isTls = base.protocol === 'https:';
  const tls = { ...(ca === undefined ? {} : { ca }), rejectUnauthorized: isInsecure !== true };
  const agent = isTls
    ? new https.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, ...tls })
    : new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const { request } = isTls ? https : http;
  const place = { protocol: base.protocol, hostname: base.hostname.replace(/^\[|\]$/g, ''), port: base.port, agent };
  return {
    request: (path, options) => request({ ...place, ...options, path: `${prefix}${path}` }),
    close: () => agent.destroy(),
  };
}

/** What a server answered, as JSON where it is that. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Calls apart from the load: GET, or POST of a body. Rejects where the server cannot be reached, or the signal ends it. */
export type Caller = (path: string, body?: object, signal?: AbortSignal) => Promise<JsonAnswer>;

/** A caller that keeps its connections. */
export function openCaller(target: Target): Caller {
  const client = openClient(target);
  const headers = { ...target.headers, 'content-type': 'application/json' };
  return async (path, body, signal) =>
    new Promise<JsonAnswer>((resolve, reject) => {
      const method = body ? 'POST' : 'GET';
      const request = client.request(path, { method, headers, timeout: longestCall, ...(signal && { signal }) });
      request.on('timeout', () => request.destroy(new Error(`no answer within ${longestCall / 1000} s`)));
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
