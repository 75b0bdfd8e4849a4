import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { openResponsesOf } from './open-responses.ts';

/**
 * Ends the connections of an app that closes, as soon as nothing runs on them. Connections that never had a request,
 * which Node does not count as idle, end at once; others end after their response. Otherwise keep-alive connections
 * would delay the shutdown.
 */
export function closeConnections(app: FastifyInstance): void {
  // By remote address: with TLS, the socket of a request is not the socket of its connection.
  const unused = new Map<string, Socket>();
  let isClosing = false;
  app.server.on('connection', (socket) => {
    if (isClosing) socket.destroy();
    const end = farEnd(socket);
    unused.set(end, socket);
    socket.once('close', () => unused.delete(end));
  });
  const used = new WeakSet<Socket>();
  app.server.on('request', ({ socket }, response) => {
    if (isClosing) endWith(response);
    if (used.has(socket)) return;
    used.add(socket);
    unused.delete(farEnd(socket));
  });
  app.addHook('preClose', (done) => {
    isClosing = true;
    for (const socket of unused.values()) socket.destroy();
    for (const response of openResponsesOf(app.server)) endWith(response);
    done();
  });
}

/** Ends a connection after its response. */
function endWith(response: ServerResponse): void {
  const { socket } = response.req;
  response.once('finish', () => socket.end());
}

function farEnd({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
