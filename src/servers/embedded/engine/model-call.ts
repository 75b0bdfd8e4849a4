import type { CallOptions, InferResponse, ResponseSink, RunningInference } from '../../../kserve/server.ts';
import { cancelled, overdue } from './faults.ts';
import type { EngineGeneration } from './generation.ts';
import type { ResponseOutlet } from './response-outlet.ts';

interface ModelCallOptions extends Pick<CallOptions, 'signal' | 'timeout'> {
  /** Checks the request and starts its generation. */
  readonly begin: () => Promise<void>;
  /** Notifies the loop that a generation ended or may continue. */
  readonly wake: () => void;
}

/** One call: its generation once there is one, and the reason if it ends early. */
export class ModelCall implements RunningInference, ResponseOutlet {
  readonly #options: ModelCallOptions;
  readonly #sink: ResponseSink;
  #generation: Pick<EngineGeneration, 'cancel' | 'isOver'> | undefined;
  #early: { readonly fault: unknown } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isPaused = false;
  #isOver = false;

  constructor(options: ModelCallOptions, sink: ResponseSink) {
    this.#options = options;
    this.#sink = sink;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Starts the request; the sink gets the error of an invalid one. */
  start(): this {
    const { begin, signal, timeout } = this.#options;
    if (signal?.aborted) {
      queueMicrotask(() => this.end(cancelled()));
      return this;
    }
    signal?.addEventListener('abort', this.#abort, { once: true });
    if (timeout !== undefined) this.#timer = setTimeout(() => this.cancel(overdue(timeout)), timeout);
    void begin()
      .catch((error: unknown) => this.end(error))
      .finally(() => {
        if (!this.#generation || this.#generation.isOver) this.finish();
      });
    return this;
  }

  attach(generation: Pick<EngineGeneration, 'cancel' | 'isOver'>): void {
    this.#generation = generation;
    if (this.#early) this.#leave(this.#early.fault);
  }

  finish(): void {
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#abort);
  }

  push(response: InferResponse): void {
    if (!this.#isOver) this.#sink.response(response);
  }

  end(fault?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink.end(fault);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#options.wake();
  }

  cancel(error?: unknown): void {
    if (this.#isOver) return;
    if (error === undefined) this.#isOver = true;
    else this.end(error);
    this.#leave(error);
  }

  readonly #abort = (): void => this.cancel(cancelled());

  #leave(fault: unknown): void {
    this.#early = { fault };
    this.finish();
    this.#generation?.cancel(fault);
    this.#options.wake();
  }
}
