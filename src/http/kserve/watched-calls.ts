import type { ControlCalls, ControlMethod } from '../../kserve/messages.ts';
import type { CallOptions, InferenceServer, InferRequest, InferResponse } from '../../kserve/server.ts';
import type { RequestRecord } from '../../request-watch.ts';

/** A server as one request or call sees it: its record goes along with its inferences. */
export class WatchedCalls implements InferenceServer {
  readonly #server: InferenceServer;
  readonly #watch: RequestRecord;

  constructor(server: InferenceServer, watch: RequestRecord) {
    this.#server = server;
    this.#watch = watch;
  }

  get name(): string {
    return this.#server.name;
  }

  call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options?: CallOptions,
  ): Promise<ControlCalls[Method]['response']> {
    return this.#server.call(method, request, options);
  }

  infer(request: InferRequest, options?: CallOptions): Promise<InferResponse> {
    return this.#server.infer(request, this.#watched(request, options));
  }

  stream(request: InferRequest, options?: CallOptions): AsyncIterableIterator<InferResponse[]> {
    return this.#server.stream(request, this.#watched(request, options));
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  #watched({ model }: InferRequest, options: CallOptions | undefined): CallOptions {
    this.#watch.asks(model);
    return { ...options, watch: this.#watch };
  }
}
