import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { frame } from '../../src/kserve/grpc-frames.ts';

/** An HTTP/2 server that does what no Triton can be made to do. */
export interface ScriptedServer {
  readonly port: number;
  /** The connections so far. */
  readonly sessions: ServerHttp2Session[];
  /** What they stand on. */
  readonly sockets: Socket[];
  readonly close: () => void;
}

/** Starts a server that treats each call as the script says. */
export async function scriptedServer(
  script: (stream: ServerHttp2Stream, call: number, headers: IncomingHttpHeaders) => void,
): Promise<ScriptedServer> {
  const server = createServer();
  const sessions: ServerHttp2Session[] = [];
  const sockets: Socket[] = [];
  let calls = 0;
  server.on('connection', (socket: Socket) => sockets.push(socket));
  server.on('session', (session) => {
    session.on('error', () => undefined);
    sessions.push(session);
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    script(stream, ++calls, headers);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    for (const session of sessions) session.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, sessions, sockets, close };
}

/** The beginning of a gRPC answer; `end` finishes it. */
export function respond(stream: ServerHttp2Stream, trailers?: OutgoingHttpHeaders): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, trailers ? { waitForTrailers: true } : {});
  if (trailers) stream.on('wantTrailers', () => stream.sendTrailers(trailers));
}

/** A whole answer to ServerLive. */
export function respondLive(stream: ServerHttp2Stream): void {
  respond(stream, { 'grpc-status': '0' });
  stream.end(liveMessage);
}

/** The framed message ServerLiveResponse { live: true }. */
export const liveMessage = frame(Buffer.of(0x08, 0x01));

/** A TCP server that treats each connection as the script says. */
export async function tcpServer(
  script: (socket: Socket) => void,
): Promise<{ readonly port: number; readonly sockets: Socket[]; readonly close: () => void }> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
    script(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, sockets, close };
}
