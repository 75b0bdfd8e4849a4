import { once } from 'node:events';
import http2, { type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What happens to an inference once its first response is there: it is given that response as it came. */
export type Fail = (stream: ServerHttp2Stream, first: Buffer, socket: Socket) => void;

/** A tritonserver whose inferences can be made to fail in ways that a real one hardly ever does. */
export interface BrokenTriton {
  readonly port: number;
  /** The fault of the next inference; all other calls go through. */
  fail(fail: Fail): void;
  /** Breaks the connections of the next calls for the index of models, and resolves when so many are broken. */
  breakIndexCalls(times: number): Promise<void>;
  close(): void;
}

/** Stands between Conch and the tritonserver on this port. */
export async function brokenTriton(tritonPort: number): Promise<BrokenTriton> {
  const upstream = http2.connect(`http://127.0.0.1:${tritonPort}`);
  const sessions: ServerHttp2Session[] = [];
  /** Their clients' ends, in the same order: bytes that are no HTTP/2 can only be sent past it. */
  const sockets: Socket[] = [];
  const errors: Fail[] = [];
  /** Called for each connection that is to be broken. */
  const breaks: (() => void)[] = [];
  const server = http2.createServer();
  server.on('session', (session) => sessions.push(session.on('error', () => undefined)));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const socket = sockets[sessions.findIndex((session) => session === stream.session)];
    const onBroken = String(headers[':path']).endsWith('/RepositoryIndex') ? breaks.shift() : undefined;
    if (onBroken) {
      socket?.resetAndDestroy();
      onBroken();
      return;
    }
    const call = upstream.request(forwarded(headers));
    call.on('error', () => undefined);
    stream.pipe(call);
    const error = String(headers[':path']).endsWith('/ModelStreamInfer') ? errors.shift() : undefined;
    if (!error || !socket) passThrough(call, stream);
    // The inference is left running: Triton 2.51 may crash when one is cancelled while a response is on its way.
    else call.once('data', (first: Buffer) => error(stream, first, socket)).resume();
  });
  const inner = await listening(server);
  const relay = createServer((socket) => {
    const behind = connect(inner, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket.on('error', () => undefined));
    socket.pipe(behind).pipe(socket);
    socket.once('close', () => behind.destroy());
    behind.once('close', () => socket.destroy());
  });
  return {
    port: await listening(relay),
    fail: (fail) => errors.push(fail),
    breakIndexCalls: async (times) => {
      const broken = Array.from({ length: times }, () => new Promise<void>((resolve) => breaks.push(resolve)));
      await Promise.all(broken);
    },
    close: () => {
      upstream.destroy();
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
      server.close();
      relay.close();
    },
  };
}

async function listening(server: Pick<Server, 'listen' | 'once' | 'address'>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server as Server, 'listening');
  return (server.address() as AddressInfo).port;
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
