import { StreamFault } from '../../kserve/infer-codec.ts';
import { WireRequest } from '../../kserve/infer-request-codec.ts';
import {
  encodeStreamEnd,
  encodeStreamFailure,
  encodeStreamRefusal,
  encodeStreamResponse,
} from '../../kserve/infer-response-codec.ts';
import type { InferenceServer, InferResponse } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import { isRefusal } from '../../kserve/stream-fault.ts';
import type { CallHandler, GrpcCall } from './grpc-call.ts';
import { unexpected } from './grpc-unary.ts';
import { type Place, RequestOrder } from './request-order.ts';

/** So many requests of one stream run at once; further ones wait in the client. */
const mostRunning = 1000;

/**
 * ModelStreamInfer: any number of requests on one call, each a stream of its own behind. Without the metadata
 * `triton_grpc_error` a failed request is a message and the call goes on; with it the first failure ends the call.
 */
export class StreamHandler implements CallHandler {
  readonly #call: GrpcCall;
  readonly #server: InferenceServer;
  readonly #order: RequestOrder;
  readonly #onFault: (error: unknown) => void;
  readonly #wantsStatus: boolean;
  #running = 0;
  #isHalfClosed = false;
  #isDraining = false;

  constructor(call: GrpcCall, server: InferenceServer, onFault: (error: unknown) => void) {
    this.#call = call;
    this.#server = server;
    this.#order = new RequestOrder(server);
    this.#onFault = onFault;
    this.#wantsStatus = call.metadata['triton_grpc_error'] === 'true';
  }

  onMessage(bytes: Buffer): void {
    const request = new WireRequest(bytes);
    if (this.#isDraining) {
      void this.#call.write([encodeStreamRefusal(stopping, request)]);
      return;
    }
    if (++this.#running >= mostRunning) this.#call.pause();
    void this.#run(request).finally(() => {
      if (this.#running-- === mostRunning) this.#call.resume();
      this.#endIfDone();
    });
  }

  onHalfClose(): void {
    this.#isHalfClosed = true;
    this.#endIfDone();
  }

  onDrain(): void {
    this.#isDraining = true;
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#running > 0) return;
    if (this.#isHalfClosed) this.#call.end();
    else if (this.#isDraining) this.#call.end(new StatusError('UNAVAILABLE', stopping));
  }

  async #run(request: WireRequest): Promise<void> {
    const place = this.#order.enter(request);
    try {
      await place.sequenceTurn();
      await this.#answer(request, place);
    } catch (error) {
      if (!(error instanceof StatusError)) this.#onFault(error);
      place.answered();
      await place.turn();
      this.#fail(request, error instanceof StatusError ? error : unexpected());
    } finally {
      place.leave();
    }
  }

  async #answer(request: WireRequest, place: Place): Promise<void> {
    const { signal, metadata } = this.#call;
    let isFinal = false;
    for await (const batch of this.#server.stream(request, { signal, metadata })) {
      isFinal ||= batch.at(-1)?.final ?? false;
      if (isFinal) place.answered();
      await place.turn();
      await this.#call.write(batch.map((response: InferResponse) => encodeStreamResponse(response)));
    }
    if (isFinal || request.parameters['triton_enable_empty_final_response'] !== true) return;
    await place.turn();
    await this.#call.write([encodeStreamEnd(request)]);
  }

  #fail(request: WireRequest, error: StatusError): void {
    if (this.#call.signal.aborted) return;
    const wasRefused = isRefusal(error);
    const isInside = error instanceof StreamFault && wasRefused;
    if (this.#wantsStatus && !isInside) this.#call.end(error);
    else {
      const encode = wasRefused ? encodeStreamRefusal : encodeStreamFailure;
      void this.#call.write([encode(error.message, request)]);
    }
  }
}

const stopping = 'GRPC server is shutting down and has stopped accepting new requests.';
