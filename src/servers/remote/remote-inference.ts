import type { OnMessage } from '../../kserve/grpc-frames.ts';
import { StreamResponseDecoder } from '../../kserve/infer-codec.ts';
import type { ResponseSink, RunningInference } from '../../kserve/server.ts';
import type { Call, RunningCall } from './channel.ts';

/** The callbacks of the call. */
type Listener = Required<Pick<Call, 'onMessage' | 'onEnd' | 'isComplete'>>;

/** One inference over gRPC: passes each message to its sink as it is read. */
export class RemoteInference implements RunningInference {
  readonly #sink: ResponseSink;
  readonly #decoder: StreamResponseDecoder;
  #call: RunningCall | undefined;
  #isPaused = false;
  #isOver = false;
  #isComplete = false;

  constructor(requestId: string, sink: ResponseSink) {
    this.#decoder = new StreamResponseDecoder(requestId);
    this.#sink = sink;
  }

  /** Starts the call; the sink gets an immediate failure in a microtask. */
  start(start: (listener: Listener) => RunningCall | Promise<RunningCall>): this {
    try {
      const call = start({ onMessage: this.#onMessage, onEnd: this.#onEnd, isComplete: () => this.#isComplete });
      if (call instanceof Promise) call.then(this.#onStarted, this.#onEnd);
      else this.#call = call;
    } catch (error) {
      queueMicrotask(() => this.#onEnd(error));
    }
    return this;
  }

  readonly #onMessage: OnMessage = (bytes, from, to) => {
    // Messages that were read together with the one that ended it.
    if (this.#isOver) return;
    const response = this.#decoder.decode(bytes, from, to);
    this.#isComplete = response.final;
    this.#sink.response(response);
  };

  readonly #onEnd = (error: unknown): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink.end(error);
  };

  pause(): void {
    this.#isPaused = true;
    this.#call?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#call?.resume();
  }

  cancel(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call?.cancel();
    if (error !== undefined) this.#sink.end(error);
  }

  readonly #onStarted = (call: RunningCall): void => {
    this.#call = call;
    if (this.#isOver) call.cancel();
    else if (this.#isPaused) call.pause();
  };
}
