import type { InferResponse, ResponseSink, RunningInference } from '../../kserve/server.ts';
import { Cancellation, type Signal } from '../../signal.ts';

type Begin = (signal: Signal) => Promise<InferResponse>;

/** A unary call as an inference with one response. Cancelling it cancels the call. */
export class UnaryInference implements RunningInference {
  readonly #sink: ResponseSink;
  readonly #outer: Signal | undefined;
  readonly #cancellation = new Cancellation();
  #isOver = false;

  constructor(begin: Begin, sink: ResponseSink, signal: Signal | undefined) {
    this.#sink = sink;
    this.#outer = signal;
    if (signal?.aborted) this.#cancellation.abort();
    signal?.addEventListener('abort', this.#abort, { once: true });
    begin(this.#cancellation).then(
      (response) => this.#onResponse(response),
      (error: unknown) => this.#end(error),
    );
  }

  pause(): void {
    // One response is never too many.
  }

  resume(): void {
    // See above.
  }

  cancel(error?: unknown): void {
    if (this.#isOver) return;
    if (error === undefined) this.#detach();
    else this.#end(error);
    this.#cancellation.abort();
  }

  readonly #abort = (): void => this.#cancellation.abort();

  #onResponse(response: InferResponse): void {
    if (this.#isOver) return;
    this.#sink.response(response);
    this.#end(undefined);
  }

  #end(error: unknown): void {
    if (this.#isOver) return;
    this.#detach();
    this.#sink.end(error);
  }

  #detach(): void {
    this.#isOver = true;
    this.#outer?.removeEventListener('abort', this.#abort);
  }
}
