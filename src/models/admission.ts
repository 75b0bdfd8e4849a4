import { ApiError, endedBy } from '../errors.ts';
import { GateFull, type Gates, type Release } from '../limits/gates.ts';
import type { RequestWatch } from '../request-watch.ts';
import { Cancellation, type Signal } from '../signal.ts';

/** How many requests may run on a model and wait for it at a time. */
export interface AdmissionLimits {
  readonly running: number;
  readonly waiting: number;
}

interface AdmissionOptions {
  readonly gates: Gates;
  /** The limits of a model, by its name on the servers; undefined: no limits. */
  readonly limitsOf: (root: string) => AdmissionLimits | undefined;
  /** Milliseconds that a request may wait, as currently set; undefined: no time limit. */
  readonly timeout: () => number | undefined;
}

/** A request that asks for admission to a model. */
export interface AdmissionRequest {
  /** Requests with a higher number come first. */
  readonly priority: number;
  /** Aborted when the client disconnects. */
  readonly signal: Signal;
  readonly watch: Pick<RequestWatch, 'begin'>;
  /** Called with the milliseconds that it waited. */
  readonly onAdmitted?: (waited: number) => void;
}

/** Limits the running requests of each model. Others wait in a queue; when it is full, requests are rejected. */
export class Admission {
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  isLimited(root: string): boolean {
    return this.#options.limitsOf(root) !== undefined;
  }

  /** Waits until a model has capacity for the request. Call the returned function to release it. */
  async enter(root: string, { priority, signal, watch, onAdmitted }: AdmissionRequest): Promise<Release> {
    const limits = this.#options.limitsOf(root);
    if (!limits) return () => undefined;
    const stop = new Cancellation();
    const onDisconnect = (): void => stop.abort(endedBy(signal));
    if (signal.aborted) onDisconnect();
    else signal.addEventListener('abort', onDisconnect, { once: true });
    const timeout = this.#options.timeout();
    const timer = timeout === undefined ? undefined : setTimeout(() => stop.abort(queueTimeout(root)), timeout);
    const startTime = performance.now();
    const endQueue = watch.begin('queue');
    try {
      const gate = { name: gateName(root), ...limits };
      const leave = await this.#options.gates.enter(gate, { priority, signal: stop });
      onAdmitted?.(performance.now() - startTime);
      return leave;
    } catch (error) {
      if (error instanceof GateFull) throw queueFull(root, limits, error);
      throw error;
    } finally {
      endQueue();
      clearTimeout(timer);
      signal.removeEventListener('abort', onDisconnect);
    }
  }
}

/** The name of a model's gate, with a prefix that no other gate has. */
function gateName(root: string): string {
  return `model:${root}`;
}

function queueFull(root: string, { running, waiting }: AdmissionLimits, { retryAfter }: GateFull): ApiError {
  const message = `The queue of the model ${root} is full: the limits are ${running} running and ${waiting} waiting requests. Try again in ${retryAfter} s.`;
  return new ApiError('rate_limit_exceeded', message, { param: 'model', retryAfter });
}

function queueTimeout(root: string): ApiError {
  return new ApiError('deadline_exceeded', `The request timed out in the queue of the model ${root}. Try again later.`);
}
