import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { openResponsesOf } from './open-responses.ts';

/**
 * Ends connections when the app closes as soon as nothing runs on them: those that never carried a request, which Node
 * does not count as idle, at once; those whose request still runs, after its response. A client that keeps its connection
 * would hold up the end for as long as it may.
 */
export function closeConnections(app: FastifyInstance): void {
  // By their far ends: with TLS, requests come on another socket than connections.
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

/** Ends a connection behind its response. */
function endWith(response: ServerResponse): void {
  const { socket } = response.req;
  response.once('finish', () => socket.end());
}

function farEnd({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
