import { once } from 'node:events';
import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import { frame } from '../../src/servers/remote/framing.ts';

/** An HTTP/2 server that does what no Triton can be made to do. */
export interface ScriptedServer {
  readonly port: number;
  /** The connections so far. */
  readonly sessions: http2.ServerHttp2Session[];
  /** What they stand on. */
  readonly sockets: net.Socket[];
  readonly close: () => void;
}

/** Starts a server that treats each call as the script says. */
export async function scriptedServer(
  script: (stream: http2.ServerHttp2Stream, call: number) => void,
): Promise<ScriptedServer> {
  const server = http2.createServer();
  const sessions: http2.ServerHttp2Session[] = [];
  const sockets: net.Socket[] = [];
  let calls = 0;
  server.on('connection', (socket: net.Socket) => sockets.push(socket));
  server.on('session', (session) => {
    session.on('error', () => undefined);
    sessions.push(session);
  });
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    script(stream, ++calls);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    for (const session of sessions) session.destroy();
    server.close();
  };
  return { port: portOf(server), sessions, sockets, close };
}

/** The beginning of a gRPC answer; `end` finishes it. */
export function respond(stream: http2.ServerHttp2Stream, trailers: http2.OutgoingHttpHeaders | undefined): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, trailers ? { waitForTrailers: true } : {});
  if (trailers) stream.on('wantTrailers', () => stream.sendTrailers(trailers));
}

/** A whole answer to ServerLive. */
export function respondLive(stream: http2.ServerHttp2Stream): void {
  respond(stream, { 'grpc-status': '0' });
  stream.end(liveMessage);
}

/** The framed message ServerLiveResponse { live: true }. */
export const liveMessage = frame(Buffer.of(0x08, 0x01));

/** A TCP server that treats each connection as the script says. */
export async function tcpServer(
  script: (socket: net.Socket) => void,
): Promise<{ readonly port: number; readonly sockets: net.Socket[]; readonly close: () => void }> {
  const sockets: net.Socket[] = [];
  const server = net.createServer((socket) => {
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
  return { port: portOf(server), sockets, close };
}

function portOf(server: net.Server | http2.Http2Server): number {
  return (server.address() as AddressInfo).port;
}
