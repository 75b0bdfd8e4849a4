import { PassingServer } from '../../kserve/passing-server.ts';
import type {
  CallOptions,
  InferenceServer,
  InferRequest,
  InferResponse,
  ResponseSink,
  RunningInference,
} from '../../kserve/server.ts';
import type { RequestRecord } from '../../request-watch.ts';

/** A server for one request or call: passes its record to each inference. */
export class WatchedCalls extends PassingServer {
  readonly #watch: RequestRecord;

  constructor(server: InferenceServer, watch: RequestRecord) {
    super(server);
    this.#watch = watch;
  }

  override infer(request: InferRequest, options?: CallOptions): Promise<InferResponse> {
    return this.inner.infer(request, this.#watched(request, options));
  }

  override stream(request: InferRequest, sink: ResponseSink, options?: CallOptions): RunningInference {
    return this.inner.stream(request, sink, this.#watched(request, options));
  }

  #watched({ model }: InferRequest, options: CallOptions | undefined): CallOptions {
    this.#watch.setRequest(model);
    return { ...options, watch: this.#watch };
  }
}
