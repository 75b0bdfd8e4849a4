import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Responses that are not complete, with their servers. */
const open = new Map<ServerResponse, Server>();

function forget(this: ServerResponse): void {
  open.delete(this);
}

/** Knows the open responses of a server from now on. */
export function followResponses(server: Server): void {
  server.on('request', (_request, response) => {
    open.set(response, server);
    response.on('close', forget);
  });
}

/** The responses on a connection that are not complete. */
export function openResponses(socket: Socket): ServerResponse[] {
  return [...open.keys()].filter((response) => response.req.socket === socket);
}

/** The responses of a server that are not complete. */
export function openResponsesOf(server: Server): ServerResponse[] {
  return [...open].filter(([, of]) => of === server).map(([response]) => response);
}
