import type {
  CallOptions,
  InferenceServer,
  InferRequest,
  InferResponse,
  ResponseSink,
  RunningInference,
} from '../../src/kserve/server.ts';

type Result = IteratorResult<InferResponse[]>;

/**
 * The responses of an inference for a test that reads them step by step. It begins with the first read, and the server
 * waits while nobody reads.
 */
export class PulledResponses implements AsyncIterableIterator<InferResponse[]>, ResponseSink {
  readonly #begin: (sink: ResponseSink) => RunningInference;
  #running: RunningInference | undefined;
  #batch: InferResponse[] = [];
  #ending: { readonly error: unknown } | undefined;
  #reader: { resolve(result: Result): void; reject(error: unknown): void } | undefined;

  constructor(begin: (sink: ResponseSink) => RunningInference) {
    this.#begin = begin;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      if (this.#batch.length > 0 || this.#ending) this.#deliver();
      else if (this.#running) this.#running.resume();
      else this.#running = this.#begin(this);
    });
  }

  async return(): Promise<Result> {
    this.#batch = [];
    this.#running?.cancel();
    this.end();
    return { done: true, value: undefined };
  }

  response(response: InferResponse): void {
    this.#batch.push(response.detached());
    this.#deliver();
  }

  end(error?: unknown): void {
    this.#ending ??= { error };
    this.#deliver();
  }

  #deliver(): void {
    const reader = this.#reader;
    this.#reader = undefined;
    if (!reader) return;
    if (this.#batch.length > 0) {
      this.#running?.pause();
      reader.resolve({ done: false, value: this.#batch.splice(0) });
    } else if (this.#ending?.error === undefined) reader.resolve({ done: true, value: undefined });
    else {
      reader.reject(this.#ending.error);
      this.#ending = { error: undefined };
    }
  }
}

/** The responses of an inference on a server. */
export function pulled(server: InferenceServer, request: InferRequest, options?: CallOptions): PulledResponses {
  return new PulledResponses((sink) => server.stream(request, sink, options));
}
