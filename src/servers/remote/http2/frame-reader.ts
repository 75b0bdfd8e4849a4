import { flags, frameHead, frameTypes, ProtocolError, smallestFrameLimit } from './frames.ts';
import { HpackDecoder, type Http2Headers } from './hpack-decoder.ts';
import type { ReadBuffer } from './read-buffer.ts';

/** Receives the frames, after checks of their size and order. */
export interface FrameListener {
  /** A part of a body. Its frame may take more of the windows than the part. The range is valid during the call. */
  onData(stream: number, bytes: Buffer, range: DataRange): void;
  onHeaders(stream: number, headers: Http2Headers, endsStream: boolean): void;
  onReset(stream: number, code: number): void;
  onSettings(settings: readonly (readonly [id: number, value: number])[]): void;
  onPing(payload: Buffer, isAck: boolean): void;
  onGoAway(last: number, code: number): void;
  onWindow(stream: number, increment: number): void;
}

export interface DataRange {
  readonly from: number;
  readonly to: number;
  readonly size: number;
  readonly endsStream: boolean;
}

const tableSize = 4_096;

/** The maximum number of frames of one header block. */
const mostParts = 64;

interface FrameBounds {
  readonly id: number;
  readonly bits: number;
  readonly from: number;
  readonly end: number;
}

/** Finds and parses the frames in the received bytes, in one loop per read. */
export class Http2FrameReader {
  readonly #input: ReadBuffer;
  readonly #listener: FrameListener;
  readonly #mostHeaders: number;
  readonly #decoder: HpackDecoder;
  /** An incomplete header block: its stream, its parts so far, and whether the stream ends with it. */
  #block: { readonly id: number; readonly endsStream: boolean; parts: Buffer[]; size: number } | undefined;
  #hasSettings = false;
  /** The range of the body part in this frame. One object is reused, because there is a frame for every token. */
  readonly #range = { from: 0, to: 0, size: 0, endsStream: false };

  constructor(input: ReadBuffer, listener: FrameListener, { mostHeaders }: { readonly mostHeaders: number }) {
    this.#input = input;
    this.#listener = listener;
    this.#mostHeaders = mostHeaders;
    this.#decoder = new HpackDecoder({ tableSize, listSize: mostHeaders });
  }

  /** Processes one frame; false if none is complete. Throws on an invalid frame. */
  next(): boolean {
    const input = this.#input;
    const { bytes, from, to } = input;
    if (to - from < frameHead) return false;
    const length = ((bytes[from] as number) << 16) | ((bytes[from + 1] as number) << 8) | (bytes[from + 2] as number);
    if (length > smallestFrameLimit) throw wrongSize();
    const end = from + frameHead + length;
    if (end > to) return false;
    input.from = end;
    this.#frame(bytes, from, end);
    return true;
  }

  #frame(bytes: Buffer, at: number, end: number): void {
    const type = bytes[at + 3] as number;
    const bits = bytes[at + 4] as number;
    const id = bytes.readUInt32BE(at + 5) & 0x7fffffff;
    const from = at + frameHead;
    if (!this.#hasSettings && type !== frameTypes.SETTINGS) throw protocolError('the first frame is not SETTINGS');
    if (this.#block && (type !== frameTypes.CONTINUATION || id !== this.#block.id))
      throw protocolError('another frame interrupts a header block');
    switch (type) {
      case frameTypes.DATA:
        this.#range.from = from;
        this.#range.to = end;
        this.#data(bytes, id, bits);
        return;
      case frameTypes.HEADERS:
        this.#headers(bytes, { id, bits, from, end });
        return;
      case frameTypes.CONTINUATION:
        this.#continuation(bytes.subarray(from, end), bits);
        return;
      case frameTypes.RST_STREAM:
        this.#listener.onReset(id, numberAt(bytes, from, end));
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
        this.#listener.onWindow(id, numberAt(bytes, from, end) & 0x7fffffff);
        return;
      case frameTypes.PUSH_PROMISE:
        throw protocolError('PUSH_PROMISE is disabled');
      default:
      // Priorities and unknown frames are ignored.
    }
  }

  #data(bytes: Buffer, id: number, bits: number): void {
    if (id === 0) throw protocolError('DATA without a stream');
    const range = this.#range;
    range.size = range.to - range.from;
    range.endsStream = (bits & flags.END_STREAM) !== 0;
    if (bits & flags.PADDED) {
      const { from, end } = unpadded(bytes, { id, bits, from: range.from, end: range.to });
      range.from = from;
      range.to = end;
    }
    this.#listener.onData(id, bytes, range);
  }

  #headers(bytes: Buffer, frame: FrameBounds): void {
    const range = unpadded(bytes, frame);
    const from = range.from + (frame.bits & flags.PRIORITY ? 5 : 0);
    if (from > range.end) throw wrongSize();
    const { id, bits } = frame;
    if (id === 0) throw protocolError('HEADERS without a stream');
    this.#block = { id, endsStream: (bits & flags.END_STREAM) !== 0, parts: [], size: 0 };
    this.#continuation(bytes.subarray(from, range.end), bits);
  }

  #continuation(part: Buffer, bits: number): void {
    const block = this.#block;
    if (!block) throw protocolError('CONTINUATION without HEADERS');
    block.parts.push(part);
    block.size += part.length;
    const isTooMuch = block.size > this.#mostHeaders || block.parts.length > mostParts;
    if (isTooMuch) throw new ProtocolError('ENHANCE_YOUR_CALM', 'The server sends a header block that is too large.');
    if (!(bits & flags.END_HEADERS)) return;
    this.#block = undefined;
    const [first = part, ...others] = block.parts;
    // The headers of a closed stream are decoded too: they can change the table for later headers.
    const headers = this.#decoder.decode(others.length > 0 ? Buffer.concat(block.parts) : first);
    this.#listener.onHeaders(block.id, headers, block.endsStream);
  }

  #settings(bytes: Buffer, { id, bits, from, end }: FrameBounds): void {
    if (id !== 0) throw protocolError('SETTINGS with a stream');
    if (bits & flags.ACK) return;
    if ((end - from) % 6 !== 0) throw wrongSize();
    const settings: [number, number][] = [];
    for (let at = from; at < end; at += 6) settings.push([bytes.readUInt16BE(at), bytes.readUInt32BE(at + 2)]);
    this.#hasSettings = true;
    this.#listener.onSettings(settings);
  }

  #ping(bytes: Buffer, { id, bits, from, end }: FrameBounds): void {
    if (id !== 0) throw protocolError('PING with a stream');
    if (end - from !== 8) throw wrongSize();
    this.#listener.onPing(bytes.subarray(from, end), (bits & flags.ACK) !== 0);
  }

  #goAway(bytes: Buffer, from: number, end: number): void {
    if (end - from < 8) throw wrongSize();
    this.#listener.onGoAway(bytes.readUInt32BE(from) & 0x7fffffff, bytes.readUInt32BE(from + 4));
  }
}

/** The payload without its padding. */
function unpadded(bytes: Buffer, { bits, from, end }: FrameBounds): { readonly from: number; readonly end: number } {
  if (!(bits & flags.PADDED)) return { from, end };
  const padding = from < end ? (bytes[from] as number) : 0;
  if (from + 1 + padding > end) throw protocolError('the padding is longer than the frame');
  return { from: from + 1, end: end - padding };
}

function numberAt(bytes: Buffer, from: number, end: number): number {
  if (end - from !== 4) throw wrongSize();
  return bytes.readUInt32BE(from);
}

/** The server violates HTTP/2 on the connection, not only on one stream. */
export function protocolError(what: string): ProtocolError {
  return new ProtocolError('PROTOCOL_ERROR', `The server violates HTTP/2: ${what}.`);
}

function wrongSize(): ProtocolError {
  return new ProtocolError('FRAME_SIZE_ERROR', 'The server violates HTTP/2: a frame has a wrong size.');
}
