import type { CallOptions, InferResponse, ResponseSink, RunningInference } from '../../../kserve/server.ts';
import type { EngineGeneration } from './generation.ts';
import type { ResponseOutlet } from './response-outlet.ts';
import { cancelledError, timeoutError } from './status-errors.ts';

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
  #earlyEnd: { readonly error: unknown } | undefined;
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
      queueMicrotask(() => this.end(cancelledError()));
      return this;
    }
    signal?.addEventListener('abort', this.#abort, { once: true });
    if (timeout !== undefined) this.#timer = setTimeout(() => this.cancel(timeoutError(timeout)), timeout);
    void begin()
      .catch((error: unknown) => this.end(error))
      .finally(() => {
        if (!this.#generation || this.#generation.isOver) this.finish();
      });
    return this;
  }

  attach(generation: Pick<EngineGeneration, 'cancel' | 'isOver'>): void {
    this.#generation = generation;
    if (this.#earlyEnd) this.#stop(this.#earlyEnd.error);
  }

  finish(): void {
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#abort);
  }

  push(response: InferResponse): void {
    if (!this.#isOver) this.#sink.response(response);
  }

  end(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink.end(error);
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
    this.#stop(error);
  }

  readonly #abort = (): void => this.cancel(cancelledError());

  #stop(error: unknown): void {
    this.#earlyEnd = { error };
    this.finish();
    this.#generation?.cancel(error);
    this.#options.wake();
  }
}
