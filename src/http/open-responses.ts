import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ActiveList } from '../active-list.ts';

interface OpenResponse {
  readonly response: ServerResponse;
  readonly server: Server;
}

/** Responses that are not complete. */
const open = new ActiveList<OpenResponse>();

/** Tracks the open responses of a server from now on. */
export function followResponses(server: Server): void {
  server.on('request', (_request, response) => {
    const entry = open.add({ response, server });
    response.on('close', () => open.remove(entry));
  });
}

/** The responses on a connection that are not complete. */
export function openResponses(socket: Socket): ServerResponse[] {
  return responsesThat(({ response }) => response.req.socket === socket);
}

/** The responses of a server that are not complete. */
export function openResponsesOf(server: Server): ServerResponse[] {
  return responsesThat((each) => each.server === server);
}

function responsesThat(are: (each: OpenResponse) => boolean): ServerResponse[] {
  return [...open].filter(are).map(({ response }) => response);
}
