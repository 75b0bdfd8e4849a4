import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ActiveList } from '../active-list.ts';
import { ApiError } from '../errors.ts';

/** Milliseconds in which requests that are ended may tell their clients so. */
const lastWords = 2_000;

/** Milliseconds in which requests that are still being sent when the end begins must have arrived. */
const lastArrival = 5_000;

/**
 * The end of the process as its requests see it: it begins, what runs may go on for a while, then it is told to end,
 * and at last its connections are cut.
 */
export class Draining {
  /** Aborts when it begins. */
  readonly begun: AbortSignal;
  readonly #over = new AbortController();
  readonly #cut = new AbortController();
  readonly #work = new Set<Promise<unknown>>();

  constructor(begun: AbortSignal) {
    this.begun = begun;
  }

  get isBegun(): boolean {
    return this.begun.aborted;
  }

  /** Aborts when what runs must end. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Aborts when connections that are still open are cut. */
  get cut(): AbortSignal {
    return this.#cut.signal;
  }

  /** Work that no connection waits for, and the process does. */
  hold(work: Promise<unknown>): void {
    const held = work.finally(() => this.#work.delete(held)).catch(() => undefined);
    this.#work.add(held);
  }

  /** Resolves when all such work is done. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  /** What runs has had its time. */
  end(): void {
    this.#over.abort();
    setTimeout(() => this.#cut.abort(), lastWords).unref();
  }
}

/** What requests and responses are told that the end of the process cuts short. */
export function serverStopped(): ApiError {
  return new ApiError('server_not_ready', 'The server was stopped before the answer was complete.', { retryAfter: 1 });
}

/**
 * Lets the requests of an app end with the process: connections close behind their responses, and what takes too long is
 * ended. Gives what follows a request.
 */
export function drainable(
  app: FastifyInstance,
  draining: Draining,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const running = new ActiveList<FastifyRequest>();
  draining.begun.addEventListener('abort', () => {
    const giveUp = (): void => {
      for (const { raw } of running) if (!raw.complete) raw.destroy();
    };
    setTimeout(giveUp, lastArrival).unref();
  });
  draining.over.addEventListener('abort', () => {
    if (running.size > 0)
      app.log.error({ requests: running.size }, 'the time to drain is over: ending what still runs');
    for (const request of running) request.cancel?.(serverStopped());
  });
  draining.cut.addEventListener('abort', () => app.server.closeAllConnections());
  return (request, { raw }) => {
    if (draining.isBegun) raw.shouldKeepAlive = false;
    const entry = running.add(request);
    raw.once('close', () => running.remove(entry));
  };
}
