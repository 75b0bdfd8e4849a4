/** Durations of the phases of a response, in nanoseconds. */
export interface Durations {
  readonly total: number;
  /** Until the model was ready, including the wait for it. */
  readonly load: number;
  /** From there to the first token; 0 if the response was not streamed, because it is unknown. */
  readonly prompt: number;
  readonly completion: number;
}

/** Measures the phases of a response. */
export class ResponseClock {
  readonly #begin = performance.now();
  #loaded = this.#begin;
  #first: number | undefined;

  /** The model is ready. */
  loaded(): void {
    this.#loaded = performance.now();
  }

  /** The first events have arrived. */
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
      completion: nanoseconds(now - first),
    };
  }
}

function nanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e6);
}
