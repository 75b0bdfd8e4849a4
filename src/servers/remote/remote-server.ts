import { decodeControl, encodeControl, methodPath } from '../../kserve/control-codec.ts';
import { decodeInferResponse } from '../../kserve/infer-codec.ts';
import { encodeInferRequest } from '../../kserve/infer-request-writer.ts';
import type { ControlCalls, ControlMethod } from '../../kserve/messages.ts';
import type {
  CallOptions,
  InferenceServer,
  InferRequest,
  InferResponse,
  ResponseSink,
  RunningInference,
} from '../../kserve/server.ts';
import { Channel, type ChannelOptions } from './channel.ts';
import { KserveCalls } from './kserve-calls.ts';
import { RemoteInference } from './remote-inference.ts';

interface RemoteServerOptions extends ChannelOptions {
  /** The models that a server without a model index may have; they may change. */
  readonly modelNames?: () => readonly string[];
}

/**
 * A Triton server or another KServe v2 server, reached over gRPC.
 *
 * Streams report Triton's errors inside the messages, with only a text. The metadata `triton_grpc_error` would add the
 * status code, but then responses just before the error get lost, and Triton 2.51 sometimes crashes.
 */
export class RemoteServer implements InferenceServer {
  readonly name: string;
  readonly host: string;
  readonly #channel: Channel;
  readonly #calls: KserveCalls;

  constructor({ modelNames = () => [], ...options }: RemoteServerOptions) {
    this.name = `${options.host.includes(':') ? `[${options.host}]` : options.host}:${options.port}`;
    this.host = options.host;
    this.#channel = new Channel(options);
    this.#calls = new KserveCalls((method, request, call) => this.#call(method, request, call), modelNames);
  }

  call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options: CallOptions = {},
  ): Promise<ControlCalls[Method]['response']> {
    return this.#calls.call(method, request, options);
  }

  async #call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options: CallOptions,
  ): Promise<ControlCalls[Method]['response']> {
    const message = encodeControl(method, request);
    return decodeControl(method, await this.#channel.unary({ ...options, path: methodPath(method), message }));
  }

  async infer(request: InferRequest, options: CallOptions = {}): Promise<InferResponse> {
    const message = encodeInferRequest(request);
    return decodeInferResponse(await this.#channel.unary({ ...options, path: methodPath('ModelInfer'), message }));
  }

  stream(request: InferRequest, sink: ResponseSink, options: CallOptions = {}): RunningInference {
    return new RemoteInference(request.id, sink).start((listener) =>
      this.#channel.start({
        path: methodPath('ModelStreamInfer'),
        message: encodeInferRequest(request),
        signal: options.signal,
        timeout: options.timeout,
        metadata: options.metadata,
        ...listener,
      }),
    );
  }

  close(): Promise<void> {
    return this.#channel.close();
  }
}
