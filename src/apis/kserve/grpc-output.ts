import { constants, type ServerHttp2Stream } from 'node:http2';
import { flushAfterTurn, type TurnOutput } from '../../http/turn-output.ts';
import { frames } from '../../kserve/grpc-frames.ts';

interface OutputOptions {
  /** Milliseconds after which a client that reads nothing is disconnected; 0: never. */
  readonly slowClientTimeout: number;
  /** The client is slower than its responses. */
  readonly onFull: () => void;
  /** The client has caught up. */
  readonly onWritable: () => void;
}

/** Writes messages to a client; all messages of one turn of the event loop go out together. */
export class GrpcOutput implements TurnOutput {
  readonly #stream: ServerHttp2Stream;
  readonly #options: OutputOptions;
  #pending: Uint8Array[] = [];
  #isFull = false;
  #cutOff: NodeJS.Timeout | undefined;

  constructor(stream: ServerHttp2Stream, options: OutputOptions) {
    this.#stream = stream;
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  add(message: Uint8Array): void {
    if (this.#pending.push(message) === 1 && !this.#isFull) flushAfterTurn(this);
  }

  flush(): void {
    if (!this.#isFull && !this.writeAll()) this.#wait();
  }

  /** Writes all pending messages now, even to a slow client. Returns whether the client keeps up. */
  writeAll(): boolean {
    const messages = this.#pending;
    if (messages.length === 0 || this.#stream.destroyed) return true;
    this.#pending = [];
    return this.#stream.write(frames(messages));
  }

  close(): void {
    clearTimeout(this.#cutOff);
    this.#stream.off('drain', this.#onDrain);
    this.#pending = [];
  }

  #wait(): void {
    const { slowClientTimeout, onFull } = this.#options;
    this.#isFull = true;
    // A client that does not read cannot receive a status.
    if (slowClientTimeout > 0)
      this.#cutOff = setTimeout(() => this.#stream.close(constants.NGHTTP2_CANCEL), slowClientTimeout);
    this.#stream.once('drain', this.#onDrain);
    onFull();
  }

  readonly #onDrain = (): void => {
    clearTimeout(this.#cutOff);
    this.#isFull = false;
    this.flush();
    if (!this.#isFull) this.#options.onWritable();
  };
}
