import type { InferResponse, ResponseSink, RunningInference } from '../../src/kserve/server.ts';
import { StatusError } from '../../src/kserve/status.ts';
import type { Signal } from '../../src/signal.ts';

interface Play {
  readonly responses: readonly unknown[];
  /** How it ends: so, never, or with an error; left out: so. */
  readonly end?: 'end' | 'hang' | Error;
  readonly signal?: Signal | undefined;
  /** It was cancelled before its end. */
  readonly onCancel?: () => void;
}

/** An inference that gives its responses one after the other, each in a microtask of its own, while it is not paused. */
export class PlayedInference implements RunningInference {
  readonly #sink: ResponseSink;
  readonly #play: Play;
  readonly #left: unknown[];
  #isPaused = false;
  #isOver = false;

  constructor(sink: ResponseSink, play: Play) {
    this.#sink = sink;
    this.#play = play;
    this.#left = [...play.responses];
    play.signal?.addEventListener('abort', this.#abort, { once: true });
    queueMicrotask(play.signal?.aborted ? this.#abort : this.#next);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    queueMicrotask(this.#next);
  }

  cancel(error?: unknown): void {
    if (this.#isOver) return;
    this.#play.onCancel?.();
    this.#isOver = true;
    if (error !== undefined) this.#sink.end(error);
  }

  readonly #abort = (): void => this.cancel(new StatusError('CANCELLED', 'The call was cancelled.'));

  readonly #next = (): void => {
    if (this.#isPaused || this.#isOver) return;
    const { end = 'end' } = this.#play;
    if (this.#left.length > 0) {
      this.#sink.response(this.#left.shift() as InferResponse);
      queueMicrotask(this.#next);
    } else if (end !== 'hang') {
      this.#isOver = true;
      this.#sink.end(end === 'end' ? undefined : end);
    }
  };
}
