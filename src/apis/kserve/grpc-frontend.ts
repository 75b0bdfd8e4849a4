import http2, {
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { usualConnections } from '../../http/connections.ts';
import { serverStopped } from '../../http/draining.ts';
import { followTls, tlsOptions } from '../../http/tls.ts';
import type { KeyHolder } from '../../keys/key-holder.ts';
import type { InferenceServer } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import { GrpcCall, refuseForeign } from './grpc-call.ts';
import { grpcGuard } from './grpc-guard.ts';
import { beginCall, logCall } from './grpc-log.ts';
import { StreamHandler } from './grpc-stream.ts';
import { servicePath, UnaryHandler, unaryMethod, unexpected } from './grpc-unary.ts';
import { KeyedServer } from './keyed-server.ts';
import type { KserveOptions } from './options.ts';
import { WatchedCalls } from './watched-calls.ts';

/** What the gRPC frontend is built from. */
export interface KserveGrpcOptions extends KserveOptions {
  /** Maximum size of a client's message, in bytes. */
  readonly maxMessageSize: number;
}

/** The gRPC frontend, to start and to stop. */
export interface KserveGrpc {
  /** Returns the port; the system chooses one for 0. */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>;
  /** Accepts nothing new, and resolves when all calls have ended. */
  close(): Promise<void>;
}

/** Flow control: bytes that a client may send before they are read. */
const streamWindow = 1024 * 1024;
const connectionWindow = 16 * 1024 * 1024;

/** The v2 protocol over gRPC, as Triton serves it on port 8001. */
export function createKserveGrpc(options: KserveGrpcOptions): KserveGrpc {
  const server = createServer(options.connections);
  const { maxMessageSize, clients, draining } = options;
  const callLimits = { maxMessageSize, slowClientTimeout: clients?.slowClientTimeout ?? 0 };
  const guard = grpcGuard(options);
  const sessions = new Set<ServerHttp2Session>();
  const calls = new Set<GrpcCall>();
  server.on('connection', (socket: Socket) => socket.setNoDelay(true));
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    // A broken connection ends its calls, and each call handles that itself.
    session.on('error', () => undefined);
    session.setLocalWindowSize(connectionWindow);
  });
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    if (!headers['content-type']?.startsWith('application/grpc')) {
      refuseForeign(stream);
      return;
    }
    const checked = guard.holder(String(headers[':path']), { ...headers });
    for (const name of guard.ownHeaders) delete headers[name];
    const watch = beginCall(headers, options);
    const call = new GrpcCall(stream, headers, callLimits);
    let holder: KeyHolder | undefined;
    logCall(stream, call, { watch, holder: () => holder, logger: options.logger });
    track(calls, call, stream);
    checked.then(
      (found) => {
        holder = found;
        begin(call, { ...options, server: new WatchedCalls(forHolder(options, found), watch) });
      },
      (error: unknown) => call.end(error instanceof StatusError ? error : unexpected()),
    );
  });
  draining?.over.addEventListener('abort', () => {
    for (const call of calls) call.end(new StatusError('UNAVAILABLE', serverStopped().message));
  });
  draining?.cut.addEventListener('abort', () => {
    for (const session of sessions) session.destroy();
  });
  return {
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.close();
        for (const call of calls) call.drain();
      }),
  };
}

/** Node counts pseudo-headers like :path too. */
const pseudoHeaders = 4;

function createServer({ maxHeaders, maxHeaderSize, tls } = usualConnections): Http2Server | Http2SecureServer {
  const limits = {
    settings: { initialWindowSize: streamWindow, maxHeaderListSize: maxHeaderSize },
    maxHeaderListPairs: maxHeaders + pseudoHeaders,
    maxSessionMemory: 1024,
  };
  if (tls === undefined) return http2.createServer(limits);
  const server = http2.createSecureServer({ ...limits, ...tlsOptions(tls), ALPNProtocols: ['h2'] });
  followTls(server, tls);
  return server;
}

function track(calls: Set<GrpcCall>, call: GrpcCall, stream: ServerHttp2Stream): void {
  calls.add(call);
  stream.once('close', () => calls.delete(call));
}

function forHolder({ server, keyLimits: limits }: KserveGrpcOptions, holder: KeyHolder | undefined): InferenceServer {
  return holder ? new KeyedServer(server, { holder, limits }) : server;
}

function begin(call: GrpcCall, options: KserveGrpcOptions): void {
  const onError = (error: unknown): void => options.logger.error(error, 'a KServe call met an unexpected condition');
  if (call.path === `${servicePath}ModelStreamInfer`) {
    call.handle(new StreamHandler(call, options.server, onError));
    return;
  }
  const method = unaryMethod(call.path, options);
  if (method) call.handle(new UnaryHandler(call, method, onError));
  else call.end(new StatusError('UNIMPLEMENTED', ''));
}
