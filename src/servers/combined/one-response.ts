import type { InferResponse } from '../../kserve/server.ts';
import type { Responses } from '../../kserve/server-group.ts';

/** A single answer as a stream of one. */
export class OneResponse implements Responses {
  readonly #answer: Promise<InferResponse>;
  #isRead = false;

  constructor(answer: Promise<InferResponse>) {
    this.#answer = answer;
    // Whoever leaves before the answer is there hears of no failure either.
    answer.catch(() => undefined);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<InferResponse[]>> {
    if (this.#isRead) return { done: true, value: undefined };
    this.#isRead = true;
    return { done: false, value: [await this.#answer] };
  }

  async return(): Promise<IteratorResult<InferResponse[]>> {
    this.#isRead = true;
    return { done: true, value: undefined };
  }
}
