import { once } from 'node:events';
import http2, { type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';

/** What happens to an inference once its first response is there: it is given that response as it came. */
export type Fault = (stream: ServerHttp2Stream, first: Buffer, socket: Socket) => void;

/** A tritonserver whose inferences can be made to fail in ways that a real one hardly ever does. */
export interface FaultyTriton {
  readonly port: number;
  /** The fault of the next inference; all other calls go through. */
  fail(fault: Fault): void;
  close(): void;
}

/** Stands between Conch and the tritonserver on this port. */
export async function faultyTriton(tritonPort: number): Promise<FaultyTriton> {
  const upstream = http2.connect(`http://127.0.0.1:${tritonPort}`);
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Map<unknown, Socket>();
  const faults: Fault[] = [];
  const server = http2.createServer();
  let lastSocket: Socket | undefined;
  server.on('connection', (socket: Socket) => {
    lastSocket = socket.on('error', () => undefined);
  });
  server.on('session', (session) => {
    sessions.add(session);
    if (lastSocket) sockets.set(session, lastSocket);
    session.on('error', () => undefined);
    session.once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const call = upstream.request(forwarded(headers));
    call.on('error', () => undefined);
    stream.pipe(call);
    const { session } = stream;
    const fault = String(headers[':path']).endsWith('/ModelStreamInfer') ? faults.shift() : undefined;
    if (!fault || !session) passThrough(call, stream);
    else
      call.once('data', (first: Buffer) => {
        call.close(http2.constants.NGHTTP2_CANCEL);
        fault(stream, first, sockets.get(session) as Socket);
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    fail: (fault) => faults.push(fault),
    close: () => {
      upstream.destroy();
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

function forwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name === ':path' || name === ':method' || !name.startsWith(':')),
  );
}

function passThrough(call: http2.ClientHttp2Stream, stream: ServerHttp2Stream): void {
  let trailers: IncomingHttpHeaders = {};
  stream.once('close', () => call.close(http2.constants.NGHTTP2_CANCEL));
  call.on('trailers', (received) => {
    trailers = received;
  });
  call.on('response', (received) => {
    if (stream.destroyed) return;
    const isWhole = received['grpc-status'] !== undefined;
    stream.respond(received, isWhole ? { endStream: true } : { waitForTrailers: true });
    if (isWhole) return;
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    call.pipe(stream);
  });
}
