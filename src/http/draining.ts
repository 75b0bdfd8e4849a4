import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ActiveList } from '../active-list.ts';
import { ApiError } from '../errors.ts';

/** Milliseconds in which cancelled requests may send their error. */
const lastWords = 2_000;

/** Milliseconds after the start of draining in which requests must have arrived completely. */
const lastArrival = 5_000;

/**
 * The shutdown of the process, for its requests. It starts; running requests may continue for a while; then they are
 * cancelled; at last, open connections are closed.
 */
export class DrainState {
  /** Aborts when the shutdown starts. */
  readonly startSignal: AbortSignal;
  readonly #over = new AbortController();
  readonly #cut = new AbortController();
  readonly #work = new Set<Promise<unknown>>();

  constructor(startSignal: AbortSignal) {
    this.startSignal = startSignal;
  }

  get hasStarted(): boolean {
    return this.startSignal.aborted;
  }

  /** Aborts when running requests are cancelled. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Aborts when open connections are closed. */
  get cut(): AbortSignal {
    return this.#cut.signal;
  }

  /** Registers work that the process waits for, without a connection. */
  hold(work: Promise<unknown>): void {
    const held = work.finally(() => this.#work.delete(held)).catch(() => undefined);
    this.#work.add(held);
  }

  /** Resolves when all registered work is done. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  /** The drain timeout is over: cancels running requests. */
  end(): void {
    this.#over.abort();
    setTimeout(() => this.#cut.abort(), lastWords).unref();
  }
}

/** The error of requests and responses that the shutdown cancels. */
export function serverStopped(): ApiError {
  return new ApiError('server_not_ready', 'The server was stopped before the response was complete.', {
    retryAfter: 1,
  });
}

/**
 * Ends the requests of an app with the process: connections close after their responses, and requests that take too
 * long are cancelled. Returns a function that tracks a request.
 */
export function drainable(
  app: FastifyInstance,
  draining: DrainState,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const running = new ActiveList<FastifyRequest>();
  draining.startSignal.addEventListener('abort', () => {
    const giveUp = (): void => {
      for (const { raw } of running) if (!raw.complete) raw.destroy();
    };
    setTimeout(giveUp, lastArrival).unref();
  });
  draining.over.addEventListener('abort', () => {
    if (running.size > 0)
      app.log.error({ requests: running.size }, 'drain timeout exceeded: cancelling the remaining requests');
    for (const request of running) request.cancel?.(serverStopped());
  });
  draining.cut.addEventListener('abort', () => app.server.closeAllConnections());
  return (request, { raw }) => {
    if (draining.hasStarted) raw.shouldKeepAlive = false;
    const entry = running.add(request);
    raw.once('close', () => running.remove(entry));
  };
}
