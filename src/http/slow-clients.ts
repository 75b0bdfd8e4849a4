import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

/** How long clients may take, in milliseconds; 0: as long as they want. */
export interface ClientBounds {
  /** To send a request. */
  readonly receiveTimeout: number;
  /** To read anything of what waits for them. */
  readonly slowClientTimeout: number;
}

const longestHeaders = 60_000;
const longestCheck = 5_000;

/** Ends connections whose client sends its request, or reads its response, too slowly; gives what watches a request. */
export function boundClients(
  app: FastifyInstance,
  { receiveTimeout, slowClientTimeout }: ClientBounds,
): ((request: FastifyRequest, reply: FastifyReply) => void) | undefined {
  const server = app.server as Server & { connectionsCheckingInterval: number };
  server.requestTimeout = receiveTimeout;
  server.headersTimeout = receiveTimeout === 0 ? longestHeaders : Math.min(receiveTimeout, longestHeaders);
  server.connectionsCheckingInterval = Math.min(longestCheck, Math.ceil(server.headersTimeout / 4));
  // The time in which nothing was read from the connection or taken by it.
  server.timeout = slowClientTimeout;
  if (slowClientTimeout === 0) return undefined;
  return (request, { raw }) => {
    raw.on('timeout', ({ writableLength }: Socket) => {
      // A quiet connection may wait for a model; one on which written text waits has a client that reads nothing.
      if (writableLength === 0) return;
      const seconds = slowClientTimeout / 1000;
      request.fault = new ApiError(
        'client_closed_request',
        `The client read nothing for ${seconds} s and was cut off.`,
      );
      raw.destroy();
    });
  };
}
