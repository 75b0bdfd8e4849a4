import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Ends connections when the app closes as soon as nothing runs on them: those that never carried a request, which Node
 * does not count as idle, at once; those whose request still runs, after its answer. A client that keeps its connection
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
  app.server.on('request', ({ socket }, response) => {
    unused.delete(farEnd(socket));
    response.once('finish', () => {
      if (isClosing) socket.end();
    });
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const socket of unused.values()) socket.destroy();
  });
}

function farEnd({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
