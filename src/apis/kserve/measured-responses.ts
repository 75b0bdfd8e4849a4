import type { InferResponse } from '../../kserve/server.ts';
import type { InferenceWatch } from '../../request-watch.ts';

type Batches = AsyncIterableIterator<InferResponse[]>;

/** The responses of an inference, which is heard of when the first is there and when it is over. */
export class MeasuredResponses implements Batches {
  readonly #batches: Batches;
  readonly #inference: InferenceWatch;
  #isBegun = false;

  constructor(batches: Batches, inference: InferenceWatch) {
    this.#batches = batches;
    this.#inference = inference;
  }

  [Symbol.asyncIterator](): Batches {
    return this;
  }

  async next(): Promise<IteratorResult<InferResponse[]>> {
    try {
      const result = await this.#batches.next();
      if (result.done) this.#inference.end();
      else if (!this.#isBegun) this.#inference.first();
      this.#isBegun = true;
      return result;
    } catch (error) {
      this.#inference.end(error);
      throw error;
    }
  }

  async return(): Promise<IteratorResult<InferResponse[]>> {
    this.#inference.end();
    await this.#batches.return?.();
    return { done: true, value: undefined };
  }
}
