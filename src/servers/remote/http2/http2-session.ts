import type { Socket } from 'node:net';
import { FrameWriter } from './frame-writer.ts';
import {
  type ErrorName,
  errorCodes,
  firstWindow,
  flags,
  frameHead,
  frameTypes,
  largestFrameLimit,
  largestWindow,
  numberFrame,
  ProtocolFault,
  pingFrame,
  preface,
  settingIds,
  settingsAck,
  settingsFrame,
  smallestFrameLimit,
} from './frames.ts';
import { type Headers, HpackDecoder } from './hpack-decoder.ts';
import type { Http2Request, StreamEnd, StreamListener, StreamState } from './http2-stream.ts';
import type { ReadBuffer } from './read-buffer.ts';

/** How far the server may run ahead of us, and what else a session keeps to. */
export interface SessionOptions {
  /** Bytes of one stream, and of all of them together. */
  readonly streamWindow: number;
  readonly connectionWindow: number;
  /** Bytes of the headers of one answer. */
  readonly mostHeaders: number;
}

const tableSize = 4_096;
const largestId = 2 ** 31 - 1;

/** Answers to pings and settings while the server reads nothing; one that lets them pile up is cut off. */
const mostUnread = 10_000;

/** The client's side of one HTTP/2 connection (RFC 9113). It is told what arrives by `received`, once for each read. */
export class Http2Session {
  readonly #socket: Socket;
  readonly #input: ReadBuffer;
  readonly #options: SessionOptions;
  readonly #writer: FrameWriter;
  readonly #decoder: HpackDecoder;
  readonly #streams = new Map<number, StreamState>();
  /** Requests that wait because the server takes no more at a time. */
  readonly #waiting: { readonly state: StreamState; readonly block: Buffer }[] = [];
  readonly #pings: (() => void)[] = [];
  readonly #onClose: (() => void)[] = [];
  #nextId = 1;
  #mostStreams = Number.POSITIVE_INFINITY;
  #largestFrame = smallestFrameLimit;
  #firstSendWindow = firstWindow;
  #sendWindow = firstWindow;
  #receiveWindow: number;
  #unreturned = 0;
  #unreadAnswers = 0;
  /** A block of headers that is not complete: its stream, what came so far, and whether the stream ends with it. */
  #block: { readonly id: number; readonly endsStream: boolean; parts: Buffer[]; size: number } | undefined;
  #hasSettings = false;
  #isGoing = false;
  #isClosed = false;
  #fault: Error | undefined;
  /** Called when the server's first settings are there. */
  onOpen: (() => void) | undefined;

  constructor(socket: Socket, input: ReadBuffer, options: SessionOptions) {
    this.#socket = socket;
    this.#input = input;
    this.#options = options;
    this.#decoder = new HpackDecoder({ tableSize, listSize: options.mostHeaders });
    this.#writer = new FrameWriter(socket);
    this.#receiveWindow = options.connectionWindow;
    socket.on('error', (error) => this.destroy(error));
    socket.on('end', () => this.destroy());
    socket.on('close', () => this.destroy());
  }

  /** Says hello. */
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
    return !this.#isClosed && !this.#isGoing && this.#nextId < largestId;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Why it ended, where that is known. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  whenClosed(listener: () => void): void {
    if (this.#isClosed) listener();
    else this.#onClose.push(listener);
  }

  /** Sends a request: the block of its headers, and its body. */
  request(block: Buffer, body: Buffer, listener: StreamListener): Http2Request {
    const state: StreamState = {
      listener,
      id: 0,
      unsent: body,
      sendWindow: this.#firstSendWindow,
      receiveWindow: this.#options.streamWindow,
      unreturned: 0,
      isPaused: false,
      hasHeaders: false,
      isClosed: false,
    };
    if (!this.isUsable) queueMicrotask(() => this.#close(state, { broken: this.#fault }));
    else if (this.#streams.size < this.#mostStreams) this.#open(state, block);
    else this.#waiting.push({ state, block });
    return {
      cancel: () => this.#cancel(state, 'CANCEL'),
      pause: () => {
        state.isPaused = true;
      },
      resume: () => {
        state.isPaused = false;
        this.#giveBack(state);
      },
    };
  }

  /** Whether the server still answers: resolves when it does. */
  ping(onAnswer: () => void): void {
    this.#pings.push(onAnswer);
    this.#writer.write(pingFrame(Buffer.alloc(8), false));
  }

  /** Ends the connection and all that runs on it. */
  destroy(fault?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#fault ??= fault;
    if (fault instanceof ProtocolFault)
      this.#writer.write(numberFrame(frameTypes.GOAWAY, 0, 0, errorCodes[fault.code]));
    this.#writer.flush();
    this.#socket.destroySoon();
    const states = [...this.#streams.values(), ...this.#waiting.splice(0).map(({ state }) => state)];
    this.#streams.clear();
    for (const state of states) this.#close(state, { broken: this.#fault });
    for (const listener of this.#onClose.splice(0)) listener();
  }

  /** Takes the frames that are complete in what has been read. */
  received(): void {
    const input = this.#input;
    try {
      while (!this.#isClosed && input.to - input.from >= frameHead) {
        const { bytes, from } = input;
        const length =
          ((bytes[from] as number) << 16) | ((bytes[from + 1] as number) << 8) | (bytes[from + 2] as number);
        if (length > smallestFrameLimit)
          throw new ProtocolFault('FRAME_SIZE_ERROR', 'It sent a frame that is too large.');
        const end = from + frameHead + length;
        if (end > input.to) return;
        input.from = end;
        this.#frame(bytes, from, end);
      }
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #frame(bytes: Buffer, at: number, end: number): void {
    const type = bytes[at + 3] as number;
    const bits = bytes[at + 4] as number;
    const id = bytes.readUInt32BE(at + 5) & 0x7fffffff;
    const from = at + frameHead;
    if (!this.#hasSettings && type !== frameTypes.SETTINGS) throw protocolFault('its first frame is not SETTINGS');
    if (this.#block && (type !== frameTypes.CONTINUATION || id !== this.#block.id))
      throw protocolFault('another frame stands within headers');
    switch (type) {
      case frameTypes.DATA:
        this.#data(bytes, { id, bits, from, end });
        return;
      case frameTypes.HEADERS:
        this.#headers(bytes, { id, bits, from, end });
        return;
      case frameTypes.CONTINUATION:
        this.#continuation(bytes.subarray(from, end), bits);
        return;
      case frameTypes.RST_STREAM:
        this.#reset(id, numberAt(bytes, from, end));
        return;
      case frameTypes.SETTINGS:
        this.#settings(bytes, { id, bits, from, end });
        return;
      case frameTypes.PING:
        this.#ping(bytes, { id, bits, from, end });
        return;
      case frameTypes.GOAWAY:
        this.#goAway(bytes, from, end);
        return;
      case frameTypes.WINDOW_UPDATE:
        this.#window(id, numberAt(bytes, from, end) & 0x7fffffff);
        return;
      case frameTypes.PUSH_PROMISE:
        throw protocolFault('it pushes, which was not allowed');
      default:
      // Priorities, and frames that nobody knows, mean nothing here.
    }
  }

  #data(bytes: Buffer, { id, bits, from, end }: FramePlace): void {
    const size = end - from;
    this.#receiveWindow -= size;
    if (this.#receiveWindow < 0) throw new ProtocolFault('FLOW_CONTROL_ERROR', 'It sent more than its window.');
    this.#unreturned += size;
    if (this.#unreturned * 2 >= this.#options.connectionWindow) {
      this.#writer.write(numberFrame(frameTypes.WINDOW_UPDATE, 0, this.#unreturned));
      this.#receiveWindow += this.#unreturned;
      this.#unreturned = 0;
    }
    const state = this.#streams.get(id);
    if (!state) {
      this.#requireKnown(id);
      return;
    }
    if (!state.hasHeaders) throw protocolFault('a body comes before its headers');
    state.receiveWindow -= size;
    if (state.receiveWindow < 0) {
      this.#cancel(state, 'FLOW_CONTROL_ERROR');
      this.#close(state, { reset: errorCodes.FLOW_CONTROL_ERROR });
      return;
    }
    state.unreturned += size;
    const place = unpadded(bytes, { id, bits, from, end });
    const endsStream = (bits & flags.END_STREAM) !== 0;
    if (place.end > place.from) state.listener.onData(bytes, place.from, place.end);
    if (endsStream) this.#complete(state);
    else if (!state.isClosed) this.#giveBack(state);
  }

  /** Opens the window of a stream again once half of it is used up, unless its reader wants to wait. */
  #giveBack(state: StreamState): void {
    if (state.isPaused || state.isClosed || state.unreturned * 2 < this.#options.streamWindow) return;
    this.#writer.write(numberFrame(frameTypes.WINDOW_UPDATE, state.id, state.unreturned));
    state.receiveWindow += state.unreturned;
    state.unreturned = 0;
  }

  #headers(bytes: Buffer, given: FramePlace): void {
    const place = unpadded(bytes, given);
    const from = place.from + (given.bits & flags.PRIORITY ? 5 : 0);
    if (from > place.end) throw new ProtocolFault('FRAME_SIZE_ERROR', 'It sent headers that are too short.');
    const { id, bits } = given;
    if (id === 0) throw protocolFault('headers without a stream');
    this.#block = { id, endsStream: (bits & flags.END_STREAM) !== 0, parts: [], size: 0 };
    this.#continuation(bytes.subarray(from, place.end), bits);
  }

  #continuation(part: Buffer, bits: number): void {
    const block = this.#block;
    if (!block) throw protocolFault('a continuation of nothing');
    block.parts.push(part);
    block.size += part.length;
    const isTooMuch = block.size > this.#options.mostHeaders || block.parts.length > mostParts;
    if (isTooMuch) throw new ProtocolFault('ENHANCE_YOUR_CALM', 'It sends headers without an end.');
    if (!(bits & flags.END_HEADERS)) return;
    this.#block = undefined;
    const [first = part, ...others] = block.parts;
    // Also the headers of a stream that is over are read: what they say may be remembered for others.
    this.#headersOf(
      block.id,
      this.#decoder.decode(others.length > 0 ? Buffer.concat(block.parts) : first),
      block.endsStream,
    );
  }

  #headersOf(id: number, headers: Headers, endsStream: boolean): void {
    const state = this.#streams.get(id);
    if (!state) {
      this.#requireKnown(id);
      return;
    }
    // Something such as 103 Early Hints comes before the answer.
    if (!state.hasHeaders && /^1\d\d$/.test(headers[':status'] ?? '') && !endsStream) return;
    if (state.hasHeaders) state.listener.onTrailers(headers);
    else state.listener.onHeaders(headers);
    state.hasHeaders = true;
    if (endsStream) this.#complete(state);
  }

  /** The server has said all. Where it wants no more of the request, the rest is not sent. */
  #complete(state: StreamState): void {
    if (state.isClosed) return;
    if (state.unsent) this.#writer.write(numberFrame(frameTypes.RST_STREAM, state.id, errorCodes.NO_ERROR));
    this.#streams.delete(state.id);
    this.#close(state, 'complete');
    this.#openWaiting();
  }

  #reset(id: number, code: number): void {
    const state = this.#streams.get(id);
    if (!state) {
      this.#requireKnown(id);
      return;
    }
    this.#streams.delete(id);
    this.#close(state, { reset: code });
    this.#openWaiting();
  }

  #settings(bytes: Buffer, { id, bits, from, end }: FramePlace): void {
    if (id !== 0) throw protocolFault('settings of a stream');
    if (bits & flags.ACK) return;
    if ((end - from) % 6 !== 0) throw new ProtocolFault('FRAME_SIZE_ERROR', 'It sent settings of a wrong size.');
    for (let at = from; at < end; at += 6) this.#setting(bytes.readUInt16BE(at), bytes.readUInt32BE(at + 2));
    this.#answer(settingsAck);
    const isFirst = !this.#hasSettings;
    this.#hasSettings = true;
    if (isFirst) this.onOpen?.();
    this.#openWaiting();
  }

  #setting(id: number, value: number): void {
    if (id === settingIds.MAX_CONCURRENT_STREAMS) this.#mostStreams = value;
    else if (id === settingIds.MAX_FRAME_SIZE) {
      if (value < smallestFrameLimit || value > largestFrameLimit)
        throw protocolFault('it set an impossible frame size');
      this.#largestFrame = value;
    } else if (id === settingIds.INITIAL_WINDOW_SIZE) {
      if (value > largestWindow) throw new ProtocolFault('FLOW_CONTROL_ERROR', 'It set an impossible window.');
      const change = value - this.#firstSendWindow;
      this.#firstSendWindow = value;
      for (const state of this.#streams.values()) {
        state.sendWindow += change;
        if (state.sendWindow > largestWindow) throw new ProtocolFault('FLOW_CONTROL_ERROR', 'Its window is too large.');
      }
      for (const { state } of this.#waiting) state.sendWindow = value;
      this.#sendAll();
    }
  }

  #ping(bytes: Buffer, { id, bits, from, end }: FramePlace): void {
    if (id !== 0) throw protocolFault('a ping of a stream');
    if (end - from !== 8) throw new ProtocolFault('FRAME_SIZE_ERROR', 'It sent a ping of a wrong size.');
    if (bits & flags.ACK) this.#pings.shift()?.();
    else this.#answer(pingFrame(bytes.subarray(from, end), true));
  }

  #answer(frame: Buffer): void {
    this.#unreadAnswers = this.#socket.writableLength === 0 ? 0 : this.#unreadAnswers + 1;
    if (this.#unreadAnswers > mostUnread)
      throw new ProtocolFault('ENHANCE_YOUR_CALM', 'It asks without reading the answers.');
    this.#writer.write(frame);
  }

  #goAway(bytes: Buffer, from: number, end: number): void {
    if (end - from < 8) throw new ProtocolFault('FRAME_SIZE_ERROR', 'It said good-bye in too few words.');
    const last = bytes.readUInt32BE(from) & 0x7fffffff;
    this.#isGoing = true;
    const code = bytes.readUInt32BE(from + 4);
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

  #window(id: number, increment: number): void {
    if (id === 0) {
      if (increment === 0) throw protocolFault('it widens its window by nothing');
      this.#sendWindow += increment;
      if (this.#sendWindow > largestWindow) throw new ProtocolFault('FLOW_CONTROL_ERROR', 'Its window is too large.');
      this.#sendAll();
      return;
    }
    const state = this.#streams.get(id);
    if (!state) {
      this.#requireKnown(id);
      return;
    }
    state.sendWindow += increment;
    if (increment > 0 && state.sendWindow <= largestWindow) {
      this.#sendBody(state);
      return;
    }
    this.#cancel(state, increment === 0 ? 'PROTOCOL_ERROR' : 'FLOW_CONTROL_ERROR');
    this.#close(state, { reset: errorCodes.PROTOCOL_ERROR });
  }

  /** A frame of a stream that is over is late and means nothing; one that never was is a fault. */
  #requireKnown(id: number): void {
    if (id === 0 || id % 2 === 0 || id >= this.#nextId) throw protocolFault(`nobody asked for stream ${id}`);
  }

  #openWaiting(): void {
    while (this.isUsable && this.#waiting.length > 0 && this.#streams.size < this.#mostStreams) {
      const next = this.#waiting.shift();
      if (next && !next.state.isClosed) this.#open(next.state, next.block);
    }
    if (this.#isGoing && this.#streams.size === 0) this.destroy();
  }

  #open(state: StreamState, block: Buffer): void {
    state.id = this.#nextId;
    this.#nextId += 2;
    state.sendWindow = this.#firstSendWindow;
    this.#streams.set(state.id, state);
    const endsStream = state.unsent === undefined || state.unsent.length === 0;
    if (endsStream) state.unsent = undefined;
    this.#writer.headers(state.id, block, { endsStream, largestFrame: this.#largestFrame });
    this.#sendBody(state);
  }

  #sendAll(): void {
    for (const state of this.#streams.values()) {
      if (this.#sendWindow <= 0) return;
      this.#sendBody(state);
    }
  }

  /** Sends as much of a body as the windows allow. */
  #sendBody(state: StreamState): void {
    while (state.unsent && !state.isClosed) {
      const size = Math.min(state.unsent.length, state.sendWindow, this.#sendWindow, this.#largestFrame);
      if (size <= 0) return;
      const isLast = size === state.unsent.length;
      this.#writer.data(state.id, isLast ? state.unsent : state.unsent.subarray(0, size), isLast);
      state.unsent = isLast ? undefined : state.unsent.subarray(size);
      state.sendWindow -= size;
      this.#sendWindow -= size;
    }
  }

  /** Ends a stream without a word to its listener. */
  #cancel(state: StreamState, code: ErrorName): void {
    if (state.isClosed) return;
    state.isClosed = true;
    state.unsent = undefined;
    if (!this.#streams.delete(state.id)) return;
    this.#writer.write(numberFrame(frameTypes.RST_STREAM, state.id, errorCodes[code]));
    this.#openWaiting();
  }

  #close(state: StreamState, end: StreamEnd): void {
    if (state.isClosed) return;
    state.isClosed = true;
    state.unsent = undefined;
    state.listener.onClose(end);
  }
}

/** Parts of one block of headers. */
const mostParts = 64;

interface FramePlace {
  readonly id: number;
  readonly bits: number;
  readonly from: number;
  readonly end: number;
}

/** The payload without what only makes it longer. */
function unpadded(bytes: Buffer, { bits, from, end }: FramePlace): { readonly from: number; readonly end: number } {
  if (!(bits & flags.PADDED)) return { from, end };
  const padding = from < end ? (bytes[from] as number) : 0;
  if (from + 1 + padding > end) throw protocolFault('more padding than there is room for');
  return { from: from + 1, end: end - padding };
}

function numberAt(bytes: Buffer, from: number, end: number): number {
  if (end - from !== 4) throw new ProtocolFault('FRAME_SIZE_ERROR', 'It sent a frame of a wrong size.');
  return bytes.readUInt32BE(from);
}

function protocolFault(what: string): ProtocolFault {
  return new ProtocolFault('PROTOCOL_ERROR', `It does not keep to HTTP/2: ${what}.`);
}
