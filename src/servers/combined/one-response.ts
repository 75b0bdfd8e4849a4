import type { InferResponse } from '../../kserve/server.ts';
import type { Responses } from '../../kserve/server-group.ts';

type Result = IteratorResult<InferResponse[]>;
const done: Result = { done: true, value: undefined };

/** A single answer as a stream of one. Whoever leaves it, or ends it with a fault, cancels the call. */
export class OneResponse implements Responses {
  readonly #begin: (signal: AbortSignal) => Promise<InferResponse>;
  readonly #outer: AbortSignal | undefined;
  readonly #leaving = new AbortController();
  #isRead = false;
  #fail: ((fault: unknown) => void) | undefined;

  constructor(begin: (signal: AbortSignal) => Promise<InferResponse>, signal: AbortSignal | undefined) {
    this.#begin = begin;
    this.#outer = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Result> {
    if (this.#isRead) return done;
    this.#isRead = true;
    const leave = (): void => this.#leaving.abort();
    if (this.#outer?.aborted) leave();
    this.#outer?.addEventListener('abort', leave, { once: true });
    const ended = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    try {
      return { done: false, value: [await Promise.race([this.#begin(this.#leaving.signal), ended])] };
    } finally {
      this.#outer?.removeEventListener('abort', leave);
    }
  }

  async return(): Promise<Result> {
    this.#isRead = true;
    this.#leaving.abort();
    return done;
  }

  async throw(fault: unknown): Promise<Result> {
    this.#fail?.(fault);
    return this.return();
  }
}
