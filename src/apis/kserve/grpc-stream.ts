import { StreamError } from '../../kserve/infer-codec.ts';
import { WireRequest } from '../../kserve/infer-request-codec.ts';
import { encodeStreamFailure, encodeStreamRefusal } from '../../kserve/infer-response-codec.ts';
import type { InferenceServer } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import { isRefusal } from '../../kserve/stream-refusal.ts';
import type { CallHandler, GrpcCall } from './grpc-call.ts';
import { unexpected } from './grpc-unary.ts';
import { RequestOrder } from './request-order.ts';
import { StreamedRequest } from './streamed-request.ts';

/** Maximum of concurrent requests of one stream; further ones wait in the client. */
const mostRunning = 1000;

/**
 * ModelStreamInfer: any number of requests on one call, each with its own upstream stream. Without the metadata
 * `triton_grpc_error` a failed request is a message and the call goes on; with it the first failure ends the call.
 */
export class StreamHandler implements CallHandler {
  readonly #call: GrpcCall;
  readonly #server: InferenceServer;
  readonly #order: RequestOrder;
  readonly #onError: (error: unknown) => void;
  readonly #wantsStatus: boolean;
  readonly #running = new Set<StreamedRequest>();
  #isHalfClosed = false;
  #isDraining = false;

  constructor(call: GrpcCall, server: InferenceServer, onError: (error: unknown) => void) {
    this.#call = call;
    this.#server = server;
    this.#order = new RequestOrder(server);
    this.#onError = onError;
    this.#wantsStatus = call.metadata['triton_grpc_error'] === 'true';
  }

  onMessage(bytes: Buffer): void {
    const request = new WireRequest(bytes);
    const call = this.#call;
    if (this.#isDraining) {
      call.send(encodeStreamRefusal(stopping, request));
      return;
    }
    const { signal, metadata } = call;
    const streamed: StreamedRequest = new StreamedRequest(request, {
      server: this.#server,
      position: this.#order.enter(request),
      call: { signal, metadata },
      send: (message) => call.send(message),
      fail: (error) => {
        if (!(error instanceof StatusError)) this.#onError(error);
        this.#fail(request, error instanceof StatusError ? error : unexpected());
      },
      onEnd: () => this.#ended(streamed),
    });
    this.#running.add(streamed);
    if (this.#running.size >= mostRunning) call.pause();
    if (call.isFull) streamed.pause();
    streamed.start();
  }

  onFull(): void {
    for (const streamed of this.#running) streamed.pause();
  }

  onWritable(): void {
    for (const streamed of this.#running) streamed.resume();
  }

  onHalfClose(): void {
    this.#isHalfClosed = true;
    this.#endIfDone();
  }

  onDrain(): void {
    this.#isDraining = true;
    this.#endIfDone();
  }

  #ended(streamed: StreamedRequest): void {
    if (this.#running.size === mostRunning) this.#call.resume();
    this.#running.delete(streamed);
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#running.size > 0) return;
    if (this.#isHalfClosed) this.#call.end();
    else if (this.#isDraining) this.#call.end(new StatusError('UNAVAILABLE', stopping));
  }

  #fail(request: WireRequest, error: StatusError): void {
    if (this.#call.signal.aborted) return;
    const wasRefused = isRefusal(error);
    const isInside = error instanceof StreamError && wasRefused;
    if (this.#wantsStatus && !isInside) this.#call.end(error);
    else {
      const encode = wasRefused ? encodeStreamRefusal : encodeStreamFailure;
      this.#call.send(encode(error.message, request));
    }
  }
}

const stopping = 'GRPC server is shutting down and has stopped accepting new requests.';
