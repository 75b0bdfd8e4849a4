import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { flushAfterTurn, type TurnOutput } from './turn.ts';

/** Something that sends, and can be made to wait. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

interface OutputOptions {
  /** What waits while the client is slower than its response; undefined where there is nothing yet. */
  readonly source: () => Pausable | undefined;
  /** Something was handed to the client's connection at this time. */
  readonly onFlush?: (now: number) => void;
  /** `latin1`: texts have a byte in each character. */
  readonly encoding?: 'utf8' | 'latin1';
}

/**
 * The body of a streamed response: what is appended during a turn goes to the client in one write. The chunks of the
 * transfer encoding are framed here and go to the socket directly, the first one behind the headers: that leaves out the
 * response's own layers for every token.
 */
export class ClientOutput implements TurnOutput {
  readonly #response: ServerResponse;
  readonly #options: OutputOptions;
  #pending = '';
  #isDirty = false;
  /** What tells that a slow client has room again; undefined while it has. */
  #full: Socket | ServerResponse | undefined;
  /** The client's socket, once the headers are on their way to it. */
  #socket: Socket | undefined;
  #isOver = false;

  constructor(response: ServerResponse, options: OutputOptions) {
    this.#response = response;
    this.#options = options;
  }

  append(text: string): void {
    if (text === '') return;
    this.#pending += text;
    if (this.#isDirty || this.#full) return;
    this.#isDirty = true;
    flushAfterTurn(this);
  }

  flush(now = performance.now()): void {
    this.#isDirty = false;
    const text = this.#pending;
    if (text === '' || this.#full || this.#isOver) return;
    this.#pending = '';
    if (!this.#write(text)) this.#wait();
    this.#options.onFlush?.(now);
  }

  /** Writes what is left, and ends the response. */
  end(text: string): void {
    const rest = this.#pending + text;
    this.#pending = '';
    const socket = rest === '' ? undefined : this.#directSocket();
    this.close();
    const response = this.#response;
    if (response.writableEnded) return;
    if (socket) writeChunk(socket, rest, this.#encoding);
    response.end(socket ? undefined : rest, this.#encoding);
    this.#options.onFlush?.(performance.now());
  }

  /** Nothing more is written. */
  close(): void {
    this.#isOver = true;
    // The next response may have it from here on.
    this.#socket = undefined;
    this.#pending = '';
    this.#full?.off('drain', this.#onDrain);
    this.#full = undefined;
  }

  get #encoding(): 'utf8' | 'latin1' {
    return this.#options.encoding ?? 'utf8';
  }

  #write(text: string): boolean {
    const socket = this.#directSocket();
    return socket ? writeChunk(socket, text, this.#encoding) : this.#response.write(text, this.#encoding);
  }

  #wait(): void {
    this.#full = this.#response.socket ?? this.#response;
    this.#full.once('drain', this.#onDrain);
    this.#options.source()?.pause();
  }

  readonly #onDrain = (): void => {
    this.#full = undefined;
    this.flush();
    if (!this.#full) this.#options.source()?.resume();
  };

  /** The client's socket with the headers on their way to it; undefined where the response has to write itself. */
  #directSocket(): Socket | undefined {
    if (this.#socket) return this.#socket;
    const response = this.#response;
    const { socket } = response;
    if (socket === null || !response.chunkedEncoding || socket.destroyed) return undefined;
    // Headers and whatever follows them in this turn go out together.
    socket.cork();
    response.flushHeaders();
    process.nextTick(uncork, socket);
    this.#socket = socket;
    return socket;
  }
}

function uncork(socket: Socket): void {
  socket.uncork();
}

/** Characters from which on it costs more to copy a text into its frame than to write the two apart. */
const longText = 2048;

/** One chunk of the transfer encoding. Text that is ASCII, as most is, needs no encoding on its way. */
function writeChunk(socket: Socket, text: string, given: 'utf8' | 'latin1'): boolean {
  const length = given === 'latin1' ? text.length : Buffer.byteLength(text);
  const encoding = length === text.length ? 'latin1' : 'utf8';
  const size = `${length.toString(16)}\r\n`;
  if (text.length < longText) return socket.write(`${size}${text}\r\n`, encoding);
  socket.cork();
  socket.write(size, 'latin1');
  socket.write(text, encoding);
  const hasRoom = socket.write('\r\n', 'latin1');
  socket.uncork();
  return hasRoom;
}
