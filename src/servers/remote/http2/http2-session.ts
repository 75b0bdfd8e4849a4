import type { Socket } from 'node:net';
import { type DataRange, type FrameListener, Http2FrameReader, protocolError } from './frame-reader.ts';
import { FrameWriter } from './frame-writer.ts';
import {
  type ErrorName,
  errorCodes,
  firstWindow,
  frameTypes,
  largestWindow,
  numberFrame,
  ProtocolError,
  pingFrame,
  preface,
  settingIds,
  settingsAck,
  settingsFrame,
} from './frames.ts';
import type { Http2Headers } from './hpack-decoder.ts';
import type { Http2Request, StreamEnd, StreamListener, StreamState } from './http2-stream.ts';
import { Outflow } from './outflow.ts';
import type { ReadBuffer } from './read-buffer.ts';

/** The limits of a session. */
export interface SessionOptions {
  /** How many bytes the server may be ahead of the reader, on one stream and on all together. */
  readonly streamWindow: number;
  readonly connectionWindow: number;
  /** The limit for the headers of one response, in bytes. */
  readonly mostHeaders: number;
}

const largestId = 2 ** 31 - 1;

/** Unread responses to pings and settings. A server that exceeds the limit is disconnected. */
const mostUnread = 10_000;

/** The client side of one HTTP/2 connection (RFC 9113). The socket calls `received` once for each read. */
export class Http2Session implements FrameListener {
  readonly #socket: Socket;
  readonly #options: SessionOptions;
  readonly #writer: FrameWriter;
  readonly #reader: Http2FrameReader;
  readonly #streams = new Map<number, StreamState>();
  readonly #outflow: Outflow;
  /** Requests that wait because of the server's limit of concurrent streams. */
  readonly #waiting: { readonly state: StreamState; readonly block: Buffer }[] = [];
  readonly #pings: (() => void)[] = [];
  readonly #onClose: (() => void)[] = [];
  #nextId = 1;
  #mostStreams = Number.POSITIVE_INFINITY;
  #receiveWindow: number;
  #unreturned = 0;
  #unreadResponses = 0;
  #isGoingAway = false;
  #isClosed = false;
  #error: Error | undefined;
  /** Called when the server's first settings arrive. */
  onOpen: (() => void) | undefined;

  constructor(socket: Socket, input: ReadBuffer, options: SessionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#reader = new Http2FrameReader(input, this, options);
    this.#writer = new FrameWriter(socket);
    this.#outflow = new Outflow(this.#writer, this.#streams);
    this.#receiveWindow = options.connectionWindow;
    socket.on('error', (error) => this.destroy(error));
    socket.on('end', () => this.destroy());
    socket.on('close', () => this.destroy());
  }

  /** Sends the preface and the settings. */
  begin(): void {
    const { streamWindow, connectionWindow, mostHeaders } = this.#options;
    this.#writer.write(preface);
    this.#writer.write(
      settingsFrame([
        [settingIds.ENABLE_PUSH, 0],
        [settingIds.INITIAL_WINDOW_SIZE, streamWindow],
        [settingIds.MAX_HEADER_LIST_SIZE, mostHeaders],
      ]),
    );
    this.#writer.write(numberFrame(frameTypes.WINDOW_UPDATE, 0, connectionWindow - firstWindow));
  }

  /** Whether it takes new requests. */
  get isUsable(): boolean {
    return !this.#isClosed && !this.#isGoingAway && this.#nextId < largestId;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Why it ended, if known. */
  get error(): Error | undefined {
    return this.#error;
  }

  whenClosed(listener: () => void): void {
    if (this.#isClosed) listener();
    else this.#onClose.push(listener);
  }

  /** Sends a request: its header block and its body. */
  request(block: Buffer, body: Buffer, listener: StreamListener): Http2Request {
    const state: StreamState = {
      listener,
      id: 0,
      unsent: body,
      sendWindow: 0,
      receiveWindow: this.#options.streamWindow,
      unreturned: 0,
      isPaused: false,
      hasHeaders: false,
      isClosed: false,
    };
    if (!this.isUsable) queueMicrotask(() => this.#close(state, { broken: this.#error }));
    else if (this.#streams.size < this.#mostStreams) this.#open(state, block);
    else this.#waiting.push({ state, block });
    return {
      cancel: () => this.#cancel(state),
      pause: () => {
        state.isPaused = true;
      },
      resume: () => {
        state.isPaused = false;
        this.#giveBack(state);
      },
    };
  }

  /** Checks that the server still responds: calls back when it does. */
  ping(onResponse: () => void): void {
    this.#pings.push(onResponse);
    this.#writer.write(pingFrame(Buffer.alloc(8), false));
  }

  /** Ends the connection and all its streams. */
  destroy(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#error ??= error;
    if (error instanceof ProtocolError)
      this.#writer.write(numberFrame(frameTypes.GOAWAY, 0, 0, errorCodes[error.code]));
    this.#writer.flush();
    this.#socket.destroySoon();
    const states = [...this.#streams.values(), ...this.#waiting.splice(0).map(({ state }) => state)];
    this.#streams.clear();
    for (const state of states) this.#close(state, { broken: this.#error });
    for (const listener of this.#onClose.splice(0)) listener();
  }

  /** Processes the complete frames in the received bytes. */
  received(): void {
    try {
      while (!this.#isClosed && this.#reader.next());
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  onData(id: number, bytes: Buffer, { from, to, size, endsStream }: DataRange): void {
    this.#takeFromWindow(size);
    const state = this.#streamOf(id);
    if (!state) return;
    if (!state.hasHeaders) throw protocolError('DATA before HEADERS');
    state.receiveWindow -= size;
    state.unreturned += size;
    if (state.receiveWindow < 0) {
      this.#fail(state, 'FLOW_CONTROL_ERROR');
      return;
    }
    if (to > from) state.listener?.onData(bytes, from, to);
    if (endsStream) this.#complete(state);
    else this.#giveBack(state);
  }

  #takeFromWindow(size: number): void {
    this.#receiveWindow -= size;
    if (this.#receiveWindow < 0) throw new ProtocolError('FLOW_CONTROL_ERROR', 'The server sent more than its window.');
    this.#unreturned += size;
    if (this.#unreturned * 2 < this.#options.connectionWindow) return;
    this.#writer.write(numberFrame(frameTypes.WINDOW_UPDATE, 0, this.#unreturned));
    this.#receiveWindow += this.#unreturned;
    this.#unreturned = 0;
  }

  /** Widens the window of a stream once half of it is used up, unless its reader is paused. */
  #giveBack(state: StreamState): void {
    if (state.isPaused || state.isClosed || state.unreturned * 2 < this.#options.streamWindow) return;
    this.#writer.write(numberFrame(frameTypes.WINDOW_UPDATE, state.id, state.unreturned));
    state.receiveWindow += state.unreturned;
    state.unreturned = 0;
  }

  onHeaders(id: number, headers: Http2Headers, endsStream: boolean): void {
    const state = this.#streamOf(id);
    if (!state) return;
    // Informational headers such as 103 Early Hints come before the response.
    if (!state.hasHeaders && /^1\d\d$/.test(headers[':status'] ?? '') && !endsStream) return;
    if (state.hasHeaders) state.listener?.onTrailers(headers);
    else state.listener?.onHeaders(headers);
    state.hasHeaders = true;
    if (endsStream) this.#complete(state);
  }

  /** The response is complete. The rest of the request is not sent. */
  #complete(state: StreamState): void {
    if (state.isClosed) return;
    if (state.unsent) this.#writer.write(numberFrame(frameTypes.RST_STREAM, state.id, errorCodes.NO_ERROR));
    this.#streams.delete(state.id);
    this.#close(state, 'complete');
    this.#openWaiting();
  }

  onReset(id: number, code: number): void {
    const state = this.#streamOf(id);
    if (!state) return;
    this.#streams.delete(id);
    this.#close(state, { reset: code });
    this.#openWaiting();
  }

  onSettings(settings: readonly (readonly [id: number, value: number])[]): void {
    for (const [id, value] of settings) this.#setting(id, value);
    this.#respond(settingsAck);
    this.onOpen?.();
    this.onOpen = undefined;
    this.#openWaiting();
  }

  #setting(id: number, value: number): void {
    if (id === settingIds.MAX_CONCURRENT_STREAMS) this.#mostStreams = value;
    else if (id === settingIds.MAX_FRAME_SIZE) this.#outflow.limitFrames(value);
    else if (id === settingIds.INITIAL_WINDOW_SIZE) this.#outflow.resize(value);
  }

  onPing(payload: Buffer, isAck: boolean): void {
    if (isAck) this.#pings.shift()?.();
    else this.#respond(pingFrame(payload, true));
  }

  #respond(frame: Buffer): void {
    this.#unreadResponses = this.#socket.writableLength === 0 ? 0 : this.#unreadResponses + 1;
    if (this.#unreadResponses > mostUnread)
      throw new ProtocolError('ENHANCE_YOUR_CALM', 'The server sends pings or settings without reading the responses.');
    this.#writer.write(frame);
  }

  onGoAway(last: number, code: number): void {
    this.#isGoingAway = true;
    if (code !== errorCodes.NO_ERROR) {
      this.destroy(new Error(`The server ended the connection (HTTP/2 error code ${code}).`));
      return;
    }
    const waiting = this.#waiting.splice(0).map(({ state }) => state);
    const unseen = [...this.#streams.values()].filter(({ id }) => id > last);
    for (const { id } of unseen) this.#streams.delete(id);
    for (const state of [...unseen, ...waiting]) this.#close(state, { reset: errorCodes.REFUSED_STREAM });
    if (this.#streams.size === 0) this.destroy();
  }

  onWindow(id: number, increment: number): void {
    if (id === 0) {
      if (increment === 0) throw protocolError('WINDOW_UPDATE by 0');
      this.#outflow.widen(increment);
      return;
    }
    const state = this.#streamOf(id);
    if (!state) return;
    state.sendWindow += increment;
    if (increment === 0) this.#fail(state, 'PROTOCOL_ERROR');
    else if (state.sendWindow > largestWindow) this.#fail(state, 'FLOW_CONTROL_ERROR');
    else this.#outflow.send(state);
  }

  /** The stream of this id; undefined for a closed one, whose late frames are ignored. Throws if it never existed. */
  #streamOf(id: number): StreamState | undefined {
    const state = this.#streams.get(id);
    if (!state && (id % 2 === 0 || id >= this.#nextId)) throw protocolError(`stream ${id} does not exist`);
    return state;
  }

  #openWaiting(): void {
    while (this.isUsable && this.#waiting.length > 0 && this.#streams.size < this.#mostStreams) {
      const next = this.#waiting.shift();
      if (next && !next.state.isClosed) this.#open(next.state, next.block);
    }
    if (this.#isGoingAway && this.#streams.size === 0) this.destroy();
  }

  #open(state: StreamState, block: Buffer): void {
    state.id = this.#nextId;
    this.#nextId += 2;
    this.#streams.set(state.id, state);
    this.#outflow.begin(state, block);
  }

  /** Ends a stream on which the server violated HTTP/2. */
  #fail(state: StreamState, code: ErrorName): void {
    this.#reset(state, code);
    this.#close(state, { reset: errorCodes[code] });
  }

  /** Ends a stream without a call of its listener. */
  #cancel(state: StreamState): void {
    if (state.isClosed) return;
    state.isClosed = true;
    state.listener = undefined;
    this.#reset(state, 'CANCEL');
  }

  #reset(state: StreamState, code: ErrorName): void {
    state.unsent = undefined;
    if (!this.#streams.delete(state.id)) return;
    this.#writer.write(numberFrame(frameTypes.RST_STREAM, state.id, errorCodes[code]));
    this.#openWaiting();
  }

  #close(state: StreamState, end: StreamEnd): void {
    if (state.isClosed) return;
    state.isClosed = true;
    state.unsent = undefined;
    const { listener } = state;
    state.listener = undefined;
    listener?.onClose(end);
  }
}
