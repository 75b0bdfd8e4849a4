import type { ControlCalls, ControlMethod } from './messages.ts';
import type {
  CallOptions,
  InferenceServer,
  InferRequest,
  InferResponse,
  ResponseSink,
  RunningInference,
} from './server.ts';

/** A server that forwards everything to another one: base class of wrappers, which override what they change. */
export class PassingServer implements InferenceServer {
  readonly inner: InferenceServer;

  constructor(inner: InferenceServer) {
    this.inner = inner;
  }

  get name(): string {
    return this.inner.name;
  }

  call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options?: CallOptions,
  ): Promise<ControlCalls[Method]['response']> {
    return this.inner.call(method, request, options);
  }

  infer(request: InferRequest, options?: CallOptions): Promise<InferResponse> {
    return this.inner.infer(request, options);
  }

  stream(request: InferRequest, sink: ResponseSink, options?: CallOptions): RunningInference {
    return this.inner.stream(request, sink, options);
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
