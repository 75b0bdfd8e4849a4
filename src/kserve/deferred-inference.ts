import type { InferResponse, ResponseSink, RunningInference } from './server.ts';

/** An inference that may start now. */
export interface EnteredInference {
  begin(sink: ResponseSink): RunningInference;
  /** Called once at its end, also if it failed or never started. */
  readonly leave?: (() => void) | undefined;
}

/** An inference that waits before it starts: for its turn, or for its server. */
export class DeferredInference implements RunningInference, ResponseSink {
  readonly #sink: ResponseSink;
  #entered: EnteredInference | undefined;
  #running: RunningInference | undefined;
  #isPaused = false;
  #isOver = false;

  constructor(enter: () => Promise<EnteredInference>, sink: ResponseSink) {
    this.#sink = sink;
    enter().then(
      (entered) => this.#begin(entered),
      (error: unknown) => this.end(error),
    );
  }

  response(response: InferResponse): void {
    if (!this.#isOver) this.#sink.response(response);
  }

  end(error?: unknown): void {
    if (this.#isOver) return;
    this.#leave();
    this.#sink.end(error);
  }

  pause(): void {
    this.#isPaused = true;
    this.#running?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#running?.resume();
  }

  cancel(error?: unknown): void {
    if (this.#isOver) return;
    this.#running?.cancel();
    if (error === undefined) this.#leave();
    else this.end(error);
  }

  #begin(entered: EnteredInference): void {
    if (this.#isOver) {
      entered.leave?.();
      return;
    }
    this.#entered = entered;
    try {
      this.#running = entered.begin(this);
    } catch (error) {
      this.end(error);
      return;
    }
    if (this.#isPaused) this.#running.pause();
  }

  #leave(): void {
    this.#isOver = true;
    this.#entered?.leave?.();
    this.#entered = undefined;
  }
}
