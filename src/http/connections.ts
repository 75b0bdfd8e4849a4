import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import { followResponses, openResponses } from './open-responses.ts';
import { followTls, type TlsSource, tlsOptions } from './tls.ts';

/** What connections may bring, and what they are secured with. */
export interface ConnectionOptions {
  /** Most headers of a request. */
  readonly maxHeaders: number;
  /** Most bytes of a request's first line and headers. */
  readonly maxHeaderSize: number;
  readonly tls?: TlsSource | undefined;
}

/** What the settings say where they say nothing. */
export const usualConnections: ConnectionOptions = { maxHeaders: 128, maxHeaderSize: 32 * 1024 };

/** Longer than the idle time of the proxies and clients in front, so that they, not we, close quiet connections. */
const keepAliveTimeout = 75_000;

/** The options of a Fastify server for its connections; `bodyOf` is how its failures look. */
export function connectionOptions(
  { maxHeaderSize, tls }: ConnectionOptions,
  bodyOf: (fault: ApiError) => unknown = (fault) => fault.body(),
) {
  return {
    http: { maxHeaderSize },
    https: tls === undefined ? null : { maxHeaderSize, ...tlsOptions(tls), ALPNProtocols: ['http/1.1'] },
    keepAliveTimeout,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => refuse(socket, error, bodyOf),
  } as const;
}

/** Lets an app count headers itself: Node's own limit drops those beyond it, and says nothing. */
export function limitConnections(app: FastifyInstance, { tls }: ConnectionOptions): void {
  const { server } = app;
  server.maxHeadersCount = 0;
  followResponses(server);
  closeWaiting(server);
  // Node would answer an Expect that it does not know itself, and without a word; it is of no use to anybody.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  followTls(server, tls);
}

/**
 * Closes the responses of a broken connection that waited for their turn behind another one: Node closes only the one
 * that is being sent, and everything that a request holds is released when its response closes.
 */
function closeWaiting(server: Server): void {
  server.on('request', ({ socket }, response) => {
    if (response.socket !== null) return;
    const close = (): void => {
      if (response.socket === null) response.destroy().emit('close');
    };
    socket.once('close', close);
    response.once('close', () => socket.off('close', close));
  });
}

/** Gives what is wrong with the number of a request's headers. */
export function headerLimit({ maxHeaders }: ConnectionOptions): (request: FastifyRequest) => ApiError | undefined {
  return ({ raw }) => {
    const count = raw.rawHeaders.length / 2;
    if (count <= maxHeaders) return undefined;
    const message = `The request has ${count} headers; at most ${maxHeaders} are allowed (--http-max-headers).`;
    return new ApiError('headers_too_large', message);
  };
}

function faultOf({ code }: NodeJS.ErrnoException): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError('headers_too_large', 'The headers are larger than this server takes (--http-max-header-size).');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('request_timeout', 'The request took too long to arrive (--receive-timeout).');
  return new ApiError('invalid_request', 'This is not a request that HTTP/1.1 knows.');
}

/** Ends a connection that cannot be read any further; it is told why unless it is in the middle of an answer. */
function refuse(socket: Socket, error: NodeJS.ErrnoException, bodyOf: (fault: ApiError) => unknown): void {
  // One that failed to speak TLS cannot be told anything.
  const speaksHttp = /^(?:HPE_|ERR_HTTP_)/.test(error.code ?? '');
  const fault = faultOf(error);
  const open = openResponses(socket);
  // A request that does not arrive has an answer that has not begun; any other fault stands behind requests that have.
  const isTooLate = fault.code === 'request_timeout' ? open.some(({ headersSent }) => headersSent) : open.length > 0;
  if (!speaksHttp || socket.destroyed || !socket.writable || isTooLate) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(bodyOf(fault));
  const head = [
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}`,
    'content-type: application/json; charset=utf-8',
    'x-content-type-options: nosniff',
    `x-request-id: ${randomUUID()}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
