import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import { followResponses, openResponses } from './open-responses.ts';
import { followTls, type TlsSource, tlsOptions } from './tls.ts';

/** Limits and TLS of connections. */
export interface ConnectionOptions {
  /** Maximum number of headers of a request. */
  readonly maxHeaders: number;
  /** Maximum size of a request's first line and headers, in bytes. */
  readonly maxHeaderSize: number;
  readonly tls?: TlsSource | undefined;
}

/** The defaults of the settings. */
export const usualConnections: ConnectionOptions = { maxHeaders: 128, maxHeaderSize: 32 * 1024 };

/** Longer than the idle timeout of proxies and clients, so that they close idle connections, not Conch. */
const keepAliveTimeout = 75_000;

/** The connection options of a Fastify server; `bodyOf` builds the body of errors. */
export function connectionOptions(
  { maxHeaderSize, tls }: ConnectionOptions,
  bodyOf: (apiError: ApiError) => unknown = (apiError) => apiError.body(),
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

/** Turns off Node's header limit, which drops headers silently: the app counts them itself. */
export function limitConnections(app: FastifyInstance, { tls }: ConnectionOptions): void {
  const { server } = app;
  server.maxHeadersCount = 0;
  followResponses(server);
  closeWaiting(server);
  // Node would reject an unknown Expect header with an empty 417. Conch ignores the header.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  followTls(server, tls);
}

/**
 * Closes the responses of a broken connection that waited behind another one (pipelining). Node closes only the one
 * that is being sent, and the resources of a request are released when its response closes.
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

/** Returns the error of a request with too many headers. */
export function headerLimit({ maxHeaders }: ConnectionOptions): (request: FastifyRequest) => ApiError | undefined {
  return ({ raw }) => {
    const count = raw.rawHeaders.length / 2;
    if (count <= maxHeaders) return undefined;
    const message = `Request has too many headers: ${count}. The limit is ${maxHeaders} (--http-max-headers).`;
    return new ApiError('headers_too_large', message);
  };
}

function errorOf({ code }: NodeJS.ErrnoException): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError(
      'headers_too_large',
      'Request headers are too large: the limit is set by --http-max-header-size.',
    );
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('request_timeout', 'The request took too long to arrive (--receive-timeout).');
  return new ApiError('invalid_request', 'Invalid HTTP/1.1 request.');
}

/** Ends a connection that cannot be read any further. Sends an error, unless a response has already started. */
function refuse(socket: Socket, error: NodeJS.ErrnoException, bodyOf: (apiError: ApiError) => unknown): void {
  // After a failed TLS handshake, nothing can be sent.
  const speaksHttp = /^(?:HPE_|ERR_HTTP_)/.test(error.code ?? '');
  const apiError = errorOf(error);
  const open = openResponses(socket);
  // The response of a request that timed out has not started. Any other error comes after complete requests.
  const isTooLate = apiError.code === 'request_timeout' ? open.some(({ headersSent }) => headersSent) : open.length > 0;
  if (!speaksHttp || socket.destroyed || !socket.writable || isTooLate) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(bodyOf(apiError));
  const head = [
    `HTTP/1.1 ${apiError.status} ${STATUS_CODES[apiError.status]}`,
    'content-type: application/json; charset=utf-8',
    'x-content-type-options: nosniff',
    `x-request-id: ${randomUUID()}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
