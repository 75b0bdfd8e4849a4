/** How long the parts of an answer took, in nanoseconds. */
export interface Durations {
  readonly total: number;
  /** Until the request had its model, which it may have waited for. */
  readonly load: number;
  /** From there to the first token; 0 where the answer came as a whole, so that nobody knows. */
  readonly prompt: number;
  readonly answer: number;
}

/** Takes the times of an answer. */
export class AnswerClock {
  readonly #begin = performance.now();
  #loaded = this.#begin;
  #first: number | undefined;

  /** The model is there. */
  loaded(): void {
    this.#loaded = performance.now();
  }

  /** The first events are there. */
  first(): void {
    this.#first ??= performance.now();
  }

  /** All times up to now. */
  durations(): Durations {
    const now = performance.now();
    const first = this.#first ?? this.#loaded;
    return {
      total: nanoseconds(now - this.#begin),
      load: nanoseconds(this.#loaded - this.#begin),
      prompt: nanoseconds(first - this.#loaded),
      answer: nanoseconds(now - first),
    };
  }
}

function nanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e6);
}
