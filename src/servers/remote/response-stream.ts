import type { OnMessage } from '../../kserve/grpc-frames.ts';
import { StreamResponseDecoder } from '../../kserve/infer-codec.ts';
import type { InferResponse } from '../../kserve/server.ts';
import type { StatusError } from '../../kserve/status.ts';
import type { Call, RunningCall } from './channel.ts';

/** What the stream hears of its call, and what the call asks of it. */
type Listener = Required<Pick<Call, 'onMessage' | 'onEnd' | 'isComplete'>>;

/** Bytes that may wait for a reader before the call stops reading from the connection. */
const highWaterMark = 256 * 1024;

/**
 * The responses of one call, in batches: all that arrived in one turn of the event loop. A reader that is slower than
 * the server gets larger batches, up to a bound; then the flow-control window closes.
 */
export class ResponseStream implements AsyncIterableIterator<InferResponse[]> {
  readonly #start: (call: Listener) => Promise<RunningCall>;
  readonly #decoder: StreamResponseDecoder;
  #call: Promise<RunningCall> | undefined;
  #running: RunningCall | undefined;
  #batch: InferResponse[] = [];
  #batchBytes = 0;
  #isPaused = false;
  #isDirty = false;
  #hasEnded = false;
  #isComplete = false;
  #fault: unknown;
  #reader: { resolve(result: IteratorResult<InferResponse[]>): void; reject(error: unknown): void } | undefined;

  constructor(requestId: string, start: (call: Listener) => Promise<RunningCall>) {
    this.#decoder = new StreamResponseDecoder(requestId);
    this.#start = start;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<InferResponse[]>> {
    if (this.#batch.length > 0) return Promise.resolve({ done: false, value: this.#take() });
    if (this.#fault !== undefined) {
      const fault = this.#fault;
      this.#fault = undefined;
      return Promise.reject(fault);
    }
    if (this.#hasEnded) return Promise.resolve({ done: true, value: undefined });
    if (!this.#call) this.#begin();
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  async return(): Promise<IteratorResult<InferResponse[]>> {
    this.#hasEnded = true;
    this.#fault = undefined;
    this.#batch = [];
    this.wake();
    (await this.#call?.catch(() => undefined))?.cancel();
    return { done: true, value: undefined };
  }

  /** Ends the call from this side: the reader gets the fault after what is there. */
  async throw(fault: unknown): Promise<IteratorResult<InferResponse[]>> {
    this.#finish(fault);
    (await this.#call?.catch(() => undefined))?.cancel();
    return { done: true, value: undefined };
  }

  /** Called once per turn of the event loop for every stream that received something in it. */
  wake(): void {
    this.#isDirty = false;
    const reader = this.#reader;
    if (!reader) return;
    if (this.#batch.length > 0) {
      this.#reader = undefined;
      reader.resolve({ done: false, value: this.#take() });
    } else if (this.#hasEnded) {
      this.#reader = undefined;
      const fault = this.#fault;
      this.#fault = undefined;
      if (fault === undefined) reader.resolve({ done: true, value: undefined });
      else reader.reject(fault);
    }
  }

  #begin(): void {
    this.#call = this.#start({
      onMessage: this.#onMessage,
      onEnd: this.#onEnd,
      isComplete: () => this.#isComplete,
    });
    this.#call.then(
      (running) => {
        this.#running = running;
      },
      (fault: unknown) => this.#finish(fault),
    );
  }

  readonly #onMessage: OnMessage = (bytes, from, to) => {
    if (this.#hasEnded) return;
    const response = this.#decoder.decode(bytes, from, to);
    this.#batch.push(response);
    this.#isComplete = response.final;
    this.#batchBytes += to - from;
    if (this.#batchBytes > highWaterMark && !this.#isPaused) {
      this.#isPaused = true;
      this.#running?.pause();
    }
    this.#markDirty();
  };

  readonly #onEnd = (fault: StatusError | undefined): void => this.#finish(fault);

  #finish(fault: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#fault = fault;
    this.#markDirty();
  }

  #take(): InferResponse[] {
    const batch = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#running?.resume();
    }
    return batch;
  }

  #markDirty(): void {
    if (this.#isDirty) return;
    this.#isDirty = true;
    if (dirty.length === 0) setImmediate(wakeAll);
    dirty.push(this);
  }
}

/** The streams that received something in this turn: one immediate wakes them all. */
let dirty: ResponseStream[] = [];

function wakeAll(): void {
  const streams = dirty;
  dirty = [];
  for (const stream of streams) stream.wake();
}
