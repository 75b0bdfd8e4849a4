import type { InferResponse } from '../../kserve/server.ts';
import type { Responses } from '../../kserve/server-group.ts';

type Result = IteratorResult<InferResponse[]>;
const done: Result = { done: true, value: undefined };

/** A stream of which it takes a while to know where it comes from. Once that is known, it is handed through. */
export class RoutedStream implements Responses {
  readonly #find: () => Promise<Responses>;
  #responses: Responses | undefined;
  #isLeft = false;

  constructor(find: () => Promise<Responses>) {
    this.#find = find;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    return this.#responses ? this.#responses.next() : this.#first();
  }

  async return(): Promise<Result> {
    this.#isLeft = true;
    await this.#responses?.return?.();
    return done;
  }

  async #first(): Promise<Result> {
    const responses = await this.#find();
    if (this.#isLeft) return done;
    this.#responses = responses;
    return responses.next();
  }
}
