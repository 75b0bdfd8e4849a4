import { decodeControl, encodeControl, methodPath } from '../../kserve/control-codec.ts';
import { decodeInferResponse, encodeInferRequest } from '../../kserve/infer-codec.ts';
import type { ControlCalls, ControlMethod } from '../../kserve/messages.ts';
import type { CallOptions, InferenceServer, InferRequest, InferResponse } from '../../kserve/server.ts';
import { Channel, type ChannelOptions } from './channel.ts';
import { ResponseStream } from './response-stream.ts';

/**
 * Asks Triton (2.49 and later) to end a stream with the status of the first error instead of a bare text. Every
 * stream here carries one request, so nothing else is lost with it.
 */
const trueStatus = { triton_grpc_error: 'true' };

/** A Triton server that is reached over gRPC. */
export class RemoteServer implements InferenceServer {
  readonly name: string;
  readonly #channel: Channel;

  constructor(options: ChannelOptions) {
    this.name = `${options.host.includes(':') ? `[${options.host}]` : options.host}:${options.port}`;
    this.#channel = new Channel(options);
  }

  async call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options: CallOptions = {},
  ): Promise<ControlCalls[Method]['response']> {
    const message = encodeControl(method, request);
    return decodeControl(method, await this.#channel.unary({ ...options, path: methodPath(method), message }));
  }

  async infer(request: InferRequest, options: CallOptions = {}): Promise<InferResponse> {
    const message = encodeInferRequest(request);
    return decodeInferResponse(await this.#channel.unary({ ...options, path: methodPath('ModelInfer'), message }));
  }

  stream(request: InferRequest, options: CallOptions = {}): AsyncIterableIterator<InferResponse[]> {
    const message = encodeInferRequest(request);
    const metadata = { ...trueStatus, ...options.metadata };
    return new ResponseStream((listener) =>
      this.#channel.start({
        path: methodPath('ModelStreamInfer'),
        message,
        signal: options.signal,
        timeout: options.timeout,
        metadata,
        onMessage: listener.onMessage,
        onEnd: listener.onEnd,
      }),
    );
  }

  close(): Promise<void> {
    return this.#channel.close();
  }
}
