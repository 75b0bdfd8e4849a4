import { type IncomingHttpHeaders, request } from 'node:http';

/** One HTTP request, bodies as they are. */
export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** The answer to it; headers that only tell of the connection are left out. */
export interface RawResponse {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const ofTheConnection = new Set(['date', 'connection', 'keep-alive', 'x-request-id']);

/** Sends a request without anything that it does not say itself, and reads the whole answer. */
export function send(
  port: number,
  { method = 'POST', path, headers = {}, body = '' }: RawRequest,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request({ host: '127.0.0.1', port, method, path, headers: { ...length, ...headers } }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const stored = Object.entries(response.headers).filter(([name]) => !ofTheConnection.has(name));
        resolve({ status: response.statusCode, headers: Object.fromEntries(stored), body: Buffer.concat(pieces) });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
