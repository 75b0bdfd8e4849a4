import { cancelled, overdue } from './faults.ts';
import type { Generation } from './generation.ts';
import { ResponseQueue } from './response-queue.ts';

interface ModelCallOptions {
  /** Checks the request and starts its generation. */
  readonly begin: () => Promise<void>;
  /** Tells the loop that a generation is over or may go on. */
  readonly wake: () => void;
  readonly signal: AbortSignal | undefined;
  readonly timeout: number | undefined;
}

/** One call: its queue, its generation once there is one, and whatever ends it early. */
export class ModelCall {
  readonly queue: ResponseQueue;
  readonly #options: ModelCallOptions;
  #generation: Generation | undefined;
  #early: { readonly fault: unknown } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ModelCallOptions) {
    this.#options = options;
    this.queue = new ResponseQueue({
      begin: () => this.#begin(),
      cancel: () => this.#leave(undefined),
      resume: options.wake,
    });
  }

  attach(generation: Generation): void {
    this.#generation = generation;
    if (this.#early) this.#leave(this.#early.fault);
  }

  finish(): void {
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#abort);
  }

  #begin(): void {
    const { begin, signal, timeout } = this.#options;
    if (signal?.aborted) {
      this.queue.end(cancelled());
      return;
    }
    signal?.addEventListener('abort', this.#abort, { once: true });
    if (timeout !== undefined) this.#timer = setTimeout(() => this.#leave(overdue(timeout)), timeout);
    void begin()
      .catch((error: unknown) => this.queue.end(error))
      .finally(() => {
        if (!this.#generation || this.#generation.isOver) this.finish();
      });
  }

  readonly #abort = (): void => this.#leave(cancelled());

  #leave(fault: unknown): void {
    this.#early = { fault };
    this.finish();
    this.queue.end(fault);
    this.#generation?.cancel(fault);
    this.#options.wake();
  }
}
