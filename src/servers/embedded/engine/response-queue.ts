import type { InferResponse } from '../../../kserve/server.ts';

/** Responses that may wait for a slow reader before its generation pauses. */
const mostWaiting = 256;

interface Source {
  /** The reader wants the first response: begin. */
  begin(): void;
  /** The reader has left. */
  cancel(): void;
  /** There is room again after `isFull`. */
  resume(): void;
}

/** What one request is answered, in batches: all that was made since the reader last looked. */
export class ResponseQueue implements AsyncIterableIterator<InferResponse[]> {
  readonly #source: Source;
  #hasBegun = false;
  #hasEnded = false;
  #fault: unknown;
  #batch: InferResponse[] = [];
  #reader: { resolve(result: IteratorResult<InferResponse[]>): void; reject(error: unknown): void } | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  get isFull(): boolean {
    return this.#batch.length >= mostWaiting;
  }

  next(): Promise<IteratorResult<InferResponse[]>> {
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      if (!this.#hasBegun) {
        this.#hasBegun = true;
        this.#source.begin();
      }
      this.#deliver();
    });
  }

  return(): Promise<IteratorResult<InferResponse[]>> {
    const isEarly = !this.#hasEnded;
    this.#hasEnded = true;
    this.#fault = undefined;
    this.#batch = [];
    if (isEarly && this.#hasBegun) this.#source.cancel();
    this.#deliver();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Ends the generation from the reader's side: it gets the fault after what is there. */
  throw(fault: unknown): Promise<IteratorResult<InferResponse[]>> {
    const isEarly = !this.#hasEnded;
    this.end(fault);
    if (isEarly && this.#hasBegun) this.#source.cancel();
    return Promise.resolve({ done: true, value: undefined });
  }

  push(response: InferResponse): void {
    if (this.#hasEnded) return;
    this.#batch.push(response);
    this.#deliver();
  }

  /** No more comes; with a fault, the reader is told of it after what is there. */
  end(fault?: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#fault = fault;
    this.#deliver();
  }

  #deliver(): void {
    const reader = this.#reader;
    if (!reader) return;
    if (this.#batch.length > 0) {
      const wasFull = this.isFull;
      const value = this.#batch;
      this.#batch = [];
      this.#reader = undefined;
      reader.resolve({ done: false, value });
      if (wasFull) this.#source.resume();
      return;
    }
    if (!this.#hasEnded) return;
    this.#reader = undefined;
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault === undefined) reader.resolve({ done: true, value: undefined });
    else reader.reject(fault);
  }
}
