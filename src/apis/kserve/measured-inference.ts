import type { InferResponse, ResponseSink, RunningInference } from '../../kserve/server.ts';
import type { InferenceWatch } from '../../request-watch.ts';

/** Reports the first response and the end of an inference to its watch. */
export class MeasuredInference implements RunningInference, ResponseSink {
  readonly #watch: InferenceWatch;
  readonly #sink: ResponseSink;
  #running: RunningInference | undefined;
  #hasResponse = false;
  #isOver = false;

  constructor(watch: InferenceWatch, sink: ResponseSink) {
    this.#watch = watch;
    this.#sink = sink;
  }

  start(begin: (sink: ResponseSink) => RunningInference): this {
    this.#running = begin(this);
    return this;
  }

  response(response: InferResponse): void {
    if (!this.#hasResponse) this.#watch.first();
    this.#hasResponse = true;
    this.#sink.response(response);
  }

  end(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#watch.end(error);
    this.#sink.end(error);
  }

  pause(): void {
    this.#running?.pause();
  }

  resume(): void {
    this.#running?.resume();
  }

  cancel(error?: unknown): void {
    if (this.#isOver) return;
    if (error === undefined) {
      this.#isOver = true;
      this.#watch.end();
    }
    this.#running?.cancel(error);
  }
}
