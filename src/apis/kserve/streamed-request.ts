import type { WireRequest } from '../../kserve/infer-request-codec.ts';
import { encodeStreamEnd, encodeStreamResponse } from '../../kserve/infer-response-codec.ts';
import type {
  CallOptions,
  InferenceServer,
  InferResponse,
  ResponseSink,
  RunningInference,
} from '../../kserve/server.ts';
import type { OrderPosition } from './request-order.ts';

interface RequestOptions {
  readonly server: InferenceServer;
  readonly position: OrderPosition;
  readonly call: CallOptions;
  readonly send: (message: Uint8Array) => void;
  readonly fail: (error: unknown) => void;
  /** Everything was sent. */
  readonly onEnd: () => void;
}

/** One request of a stream: its responses are sent as they arrive, or in turn. */
export class StreamedRequest implements ResponseSink {
  readonly #request: WireRequest;
  readonly #options: RequestOptions;
  #running: RunningInference | undefined;
  /** Actions that wait for the turn of this request; undefined once it has come. */
  #waiting: (() => void)[] | undefined;
  #isTurn = false;
  #isFinal = false;
  #isPaused = false;

  constructor(request: WireRequest, options: RequestOptions) {
    this.#request = request;
    this.#options = options;
  }

  start(): void {
    const turn = this.#options.position.sequenceTurn();
    if (turn)
      turn.then(
        () => this.#begin(),
        (error: unknown) => this.end(error),
      );
    else this.#begin();
  }

  response(response: InferResponse): void {
    if (response.final) this.#markFinished();
    const { send } = this.#options;
    const message = encodeStreamResponse(response);
    if (this.#isTurn) send(message);
    else this.#inTurn(() => send(message));
  }

  end(error?: unknown): void {
    const { send, fail, onEnd, position } = this.#options;
    const request = this.#request;
    if (error !== undefined) {
      position.markFinished();
      this.#inTurn(() => fail(error));
    } else if (!this.#isFinal && request.parameters['triton_enable_empty_final_response'] === true)
      this.#inTurn(() => send(encodeStreamEnd(request)));
    const leave = (): void => {
      position.leave();
      onEnd();
    };
    // A request that sent nothing has no turn to wait for.
    if (this.#waiting) this.#waiting.push(leave);
    else leave();
  }

  pause(): void {
    this.#isPaused = true;
    this.#running?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#waiting) this.#running?.resume();
  }

  #begin(): void {
    const { server, call } = this.#options;
    this.#running = server.stream(this.#request, this, call);
    if (this.#isPaused) this.#running.pause();
  }

  #markFinished(): void {
    this.#isFinal = true;
    this.#options.position.markFinished();
  }

  /** Runs an action now, or when this request may respond; the server is paused meanwhile. */
  #inTurn(action: () => void): void {
    if (this.#isTurn) {
      action();
      return;
    }
    if (this.#waiting) {
      this.#waiting.push(action);
      return;
    }
    const turn = this.#options.position.turn();
    if (!turn) {
      this.#isTurn = true;
      action();
      return;
    }
    this.#waiting = [action];
    this.#running?.pause();
    void turn.then(() => this.#takeTurn());
  }

  #takeTurn(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    this.#isTurn = true;
    for (const action of waiting) action();
    if (!this.#isPaused) this.#running?.resume();
  }
}
