import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { flushAfterTurn, type TurnOutput } from './turn-output.ts';

/** A source that can be paused. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

interface OutputOptions {
  /** Paused while the client is slower than its response; undefined before it exists. */
  readonly source: () => Pausable | undefined;
  /** Data was written to the client's connection at this time. */
  readonly onFlush?: (now: number) => void;
  /** `latin1`: each character of a text is one byte. */
  readonly encoding?: 'utf8' | 'latin1';
}

/**
 * The body of a streamed response. Text that is appended during a turn of the event loop goes to the client in one
 * write. Chunks of the transfer encoding are framed here and go to the socket directly, the first one after the
 * headers: that skips Node's response layers for every token.
 */
export class ClientOutput implements TurnOutput {
  readonly #response: ServerResponse;
  readonly #options: OutputOptions;
  #pending = '';
  #isDirty = false;
  /** Emits `drain` when a slow client has caught up; undefined unless one is slow. */
  #full: Socket | ServerResponse | undefined;
  /** The client's socket, once the headers are written. */
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

  /** Writes the rest, and ends the response. */
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
    // The next response may use the socket from here on.
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

  /** The client's socket, after writing the headers; undefined if the response must write the body itself. */
  #directSocket(): Socket | undefined {
    if (this.#socket) return this.#socket;
    const response = this.#response;
    const { socket } = response;
    if (socket === null || !response.chunkedEncoding || socket.destroyed) return undefined;
    // Headers and the text of this turn go out together.
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

/** From this many characters on, copying a text into its frame costs more than separate writes. */
const longText = 2048;

/** Writes one chunk of the transfer encoding. ASCII text, the usual case, is written as latin1, which is faster. */
function writeChunk(socket: Socket, text: string, inputEncoding: 'utf8' | 'latin1'): boolean {
  const length = inputEncoding === 'latin1' ? text.length : Buffer.byteLength(text);
  const encoding = length === text.length ? 'latin1' : 'utf8';
  const size = `${length.toString(16)}\r\n`;
  if (text.length < longText) return socket.write(`${size}${text}\r\n`, encoding);
  socket.cork();
  socket.write(size, 'latin1');
  socket.write(text, encoding);
  const canWriteMore = socket.write('\r\n', 'latin1');
  socket.uncork();
  return canWriteMore;
}
