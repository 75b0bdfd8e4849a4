import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

/** Timeouts of clients, in milliseconds; 0: none. */
export interface ClientBounds {
  /** To send a request. */
  readonly receiveTimeout: number;
  /** To read any of the data that waits for them. */
  readonly slowClientTimeout: number;
}

const longestHeaders = 60_000;
const longestCheck = 5_000;

/** Ends connections of clients that send or read too slowly. Returns a function that watches a request. */
export function boundClients(
  app: FastifyInstance,
  { receiveTimeout, slowClientTimeout }: ClientBounds,
): ((request: FastifyRequest, reply: FastifyReply) => void) | undefined {
  const server = app.server as Server & { connectionsCheckingInterval: number };
  server.requestTimeout = receiveTimeout;
  server.headersTimeout = receiveTimeout === 0 ? longestHeaders : Math.min(receiveTimeout, longestHeaders);
  server.connectionsCheckingInterval = Math.min(longestCheck, Math.ceil(server.headersTimeout / 4));
  // Idle time: nothing was read from the socket or written to it.
  server.timeout = slowClientTimeout;
  if (slowClientTimeout === 0) return undefined;
  return (request, { raw }) => {
    raw.on('timeout', ({ writableLength }: Socket) => {
      // An idle connection may wait for a model. With pending output, the client does not read.
      if (writableLength === 0) return;
      const seconds = slowClientTimeout / 1000;
      request.error = new ApiError(
        'client_closed_request',
        `The client read nothing for ${seconds} s and was disconnected (--slow-client-timeout).`,
      );
      raw.destroy();
    });
  };
}
