/** HTTP/2 frames (RFC 9113), for both ends of the benchmark. */

export const DATA = 0;
export const HEADERS = 1;
export const RST_STREAM = 3;
export const SETTINGS = 4;
export const PING = 6;
export const GOAWAY = 7;
export const WINDOW_UPDATE = 8;
const CONTINUATION = 9;

/** Of DATA and HEADERS. SETTINGS and PING call the same bit ACK. */
export const END_STREAM = 1;
export const ACK = 1;
export const END_HEADERS = 4;
const PADDED = 8;
const PRIORITY = 32;

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const DEFAULT_WINDOW = 65_535;
export const LARGEST_WINDOW = 2 ** 31 - 1;
const LARGEST_FRAME = 16_384;

/**
 * @param {{ type: number, flags?: number, stream?: number }} head
 * @param {Buffer} [payload]
 */
export function frame({ type, flags = 0, stream = 0 }, payload = Buffer.alloc(0)) {
  const bytes = Buffer.allocUnsafe(9 + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  payload.copy(bytes, 9);
  return bytes;
}

/**
 * What either side says first: no limit on what it can take, no push, and no limit but the frame's default size.
 * The connection's own window can only grow by a WINDOW_UPDATE.
 */
export function greeting() {
  const settings = Buffer.alloc(12);
  settings.writeUInt16BE(2, 0);
  settings.writeUInt16BE(4, 6);
  settings.writeUInt32BE(LARGEST_WINDOW, 8);
  return Buffer.concat([frame({ type: SETTINGS }, settings), windowUpdate(0, LARGEST_WINDOW - DEFAULT_WINDOW)]);
}

/**
 * @param {number} stream
 * @param {number} increment
 */
export function windowUpdate(stream, increment) {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt32BE(increment);
  return frame({ type: WINDOW_UPDATE, stream }, payload);
}

/**
 * The payload of a DATA or HEADERS frame without its padding and priority.
 * @param {number} type
 * @param {number} flags
 * @param {Buffer} payload
 */
function unpadded(type, flags, payload) {
  if ((flags & (PADDED | PRIORITY)) === 0) return payload;
  const padding = flags & PADDED ? payload.readUInt8(0) : 0;
  const start = (flags & PADDED ? 1 : 0) + (type === HEADERS && flags & PRIORITY ? 5 : 0);
  return payload.subarray(start, payload.length - padding);
}

/**
 * @typedef {object} FrameListener
 * @property {(stream: number, payload: Buffer, end: boolean, flowControlled: number) => void} data
 * @property {(stream: number, block: Buffer, end: boolean) => void} headers
 * @property {(type: number, flags: number, stream: number, payload: Buffer) => void} other
 */

/** Cuts what a socket reads into frames. Payloads are views: whoever keeps one copies it. */
export class FrameReader {
  #rest = Buffer.alloc(0);
  #listener;
  /** @type {{ stream: number, end: boolean, parts: Buffer[] } | undefined} */
  #openHeaders;

  /** @param {FrameListener} listener */
  constructor(listener) {
    this.#listener = listener;
  }

  /** @param {Buffer} chunk */
  push(chunk) {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    let at = 0;
    while (bytes.length - at >= 9) {
      const length = bytes.readUInt32BE(at) >>> 8;
      if (length > LARGEST_FRAME) throw new Error(`a frame of ${length} bytes is longer than allowed`);
      if (bytes.length - at < 9 + length) break;
      const type = bytes.readUInt8(at + 3);
      const flags = bytes.readUInt8(at + 4);
      this.#frame(type, flags, bytes.readUInt32BE(at + 5) & 0x7fffffff, bytes.subarray(at + 9, at + 9 + length));
      at += 9 + length;
    }
    // Copied, because the chunk may be a buffer that the next read fills again.
    this.#rest = Buffer.from(bytes.subarray(at));
  }

  /**
   * @param {number} type
   * @param {number} flags
   * @param {number} stream
   * @param {Buffer} payload
   */
  #frame(type, flags, stream, payload) {
    if (type === DATA) {
      const end = (flags & END_STREAM) !== 0;
      this.#listener.data(stream, unpadded(type, flags, payload), end, payload.length);
    } else if (type === HEADERS) {
      const part = Buffer.from(unpadded(type, flags, payload));
      this.#openHeaders = { stream, end: (flags & END_STREAM) !== 0, parts: [part] };
      if (flags & END_HEADERS) this.#closeHeaders();
    } else if (type === CONTINUATION) {
      this.#openHeaders?.parts.push(Buffer.from(payload));
      if (flags & END_HEADERS) this.#closeHeaders();
    } else {
      this.#listener.other(type, flags, stream, payload);
    }
  }

  #closeHeaders() {
    if (this.#openHeaders === undefined) throw new Error('a CONTINUATION frame came without HEADERS');
    const { stream, end, parts } = this.#openHeaders;
    this.#openHeaders = undefined;
    this.#listener.headers(stream, Buffer.concat(parts), end);
  }
}
