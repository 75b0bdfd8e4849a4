import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Ends connections when the app closes as soon as nothing runs on them: those that never carried a request, which Node
 * does not count as idle, at once; those whose request still runs, after its answer. A client that keeps its connection
 * would hold up the end for as long as it may.
 */
export function closeConnections(app: FastifyInstance): void {
  const unused = new Set<Socket>();
  let isClosing = false;
  app.server.on('connection', (socket) => {
    if (isClosing) socket.destroy();
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  app.server.on('request', ({ socket }, response) => {
    unused.delete(socket);
    response.once('finish', () => {
      if (isClosing) socket.end();
    });
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const socket of unused) socket.destroy();
  });
}
