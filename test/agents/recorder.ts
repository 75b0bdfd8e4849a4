import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** A request as a client has sent it, and the response that it got. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON of the body; undefined where there is none. */
  readonly body: unknown;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

export interface Recorder {
  readonly url: string;
  /** What was exchanged since the last call, in the order in which the requests came. */
  readonly take: () => Exchange[];
  readonly stop: () => Promise<void>;
}

/** Starts a proxy between a client and a server that records what the client sends. */
export async function startRecorder(target: string): Promise<Recorder> {
  let exchanges: Exchange[] = [];
  const server = createServer((request, response) => {
    void forward(target, request, response).then(
      (exchange) => exchanges.push(exchange),
      // The client or the server is gone in the middle: there is nothing to record.
      () => response.destroy(),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => {
      const all = exchanges;
      exchanges = [];
      return all;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Headers that belong to one connection. */
const connectionHeaders = new Set([
  'connection',
  'host',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'expect',
]);

async function forward(target: string, request: IncomingMessage, response: ServerResponse): Promise<Exchange> {
  const { method = 'GET', url = '/' } = request;
  const body = await buffer(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined || connectionHeaders.has(name) ? [] : [[name, String(value)]],
    ),
  );
  const abort = new AbortController();
  response.once('close', () => abort.abort());
  const upstream = await fetch(`${target}${url}`, {
    method,
    headers,
    signal: abort.signal,
    redirect: 'manual',
    ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
  });
  const passed = [...upstream.headers].filter(([name]) => name !== 'content-encoding' && !connectionHeaders.has(name));
  response.writeHead(upstream.status, Object.fromEntries(passed));
  const pieces: Uint8Array[] = [];
  for await (const piece of upstream.body ?? []) {
    pieces.push(piece);
    response.write(piece);
  }
  response.end();
  return {
    method,
    path: url,
    headers,
    body: bodyOf(body, headers['content-encoding']),
    status: upstream.status,
    contentType: upstream.headers.get('content-type') ?? '',
    text: Buffer.concat(pieces).toString(),
  };
}

function bodyOf(bytes: Buffer, encoding: string | undefined): unknown {
  if (bytes.length === 0) return undefined;
  return JSON.parse((encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString()) as unknown;
}
