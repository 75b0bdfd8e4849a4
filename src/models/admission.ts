import { ApiError, endedBy } from '../errors.ts';
import { GateFull, type Gates, type Leave } from '../limits/gates.ts';
import type { RequestWatch } from '../request-watch.ts';
import { Cancellation, type Signal } from '../signal.ts';

/** How many requests a model has at a time. */
export interface AdmissionLimits {
  readonly running: number;
  readonly waiting: number;
}

interface AdmissionOptions {
  readonly gates: Gates;
  /** The limits of a model, by its name on the servers; undefined: as many as want. */
  readonly limitsOf: (root: string) => AdmissionLimits | undefined;
  /** Milliseconds that a request may wait, as it is now; undefined: as long as it wants. */
  readonly timeout: () => number | undefined;
}

/** A request that wants to a model. */
export interface Applicant {
  /** Those with a higher number come first. */
  readonly priority: number;
  /** Aborted when its client has left. */
  readonly signal: Signal;
  readonly watch: Pick<RequestWatch, 'begin'>;
  /** Is told how many milliseconds it waited. */
  readonly onAdmitted?: (waited: number) => void;
}

/** Lets so many requests run on each model; others wait in front of it, and one too many is refused. */
export class Admission {
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  isLimited(root: string): boolean {
    return this.#options.limitsOf(root) !== undefined;
  }

  /** Waits for a place at a model; the function that it gives says that the place is free again. */
  async enter(root: string, { priority, signal, watch, onAdmitted }: Applicant): Promise<Leave> {
    const limits = this.#options.limitsOf(root);
    if (!limits) return () => undefined;
    const stop = new Cancellation();
    const left = (): void => stop.abort(endedBy(signal));
    if (signal.aborted) left();
    else signal.addEventListener('abort', left, { once: true });
    const timeout = this.#options.timeout();
    const timer = timeout === undefined ? undefined : setTimeout(() => stop.abort(tooLate(root)), timeout);
    const begun = performance.now();
    const endQueue = watch.begin('queue');
    try {
      const gate = { name: gateName(root), ...limits };
      const leave = await this.#options.gates.enter(gate, { priority, signal: stop });
      onAdmitted?.(performance.now() - begun);
      return leave;
    } catch (error) {
      if (error instanceof GateFull) throw queueFull(root, limits, error);
      throw error;
    } finally {
      endQueue();
      clearTimeout(timer);
      signal.removeEventListener('abort', left);
    }
  }
}

/** The gate in front of a model, apart from those of other things. */
function gateName(root: string): string {
  return `model:${root}`;
}

function queueFull(root: string, { running, waiting }: AdmissionLimits, { retryAfter }: GateFull): ApiError {
  const message = `The queue of the model ${root} is full: ${running} requests may run and ${waiting} wait. Try again in ${retryAfter} s.`;
  return new ApiError('rate_limit_exceeded', message, { param: 'model', retryAfter });
}

function tooLate(root: string): ApiError {
  return new ApiError('deadline_exceeded', `The model ${root} had no room for this request within the time limit.`);
}
