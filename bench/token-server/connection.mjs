/** The server's end of one HTTP/2 connection: calls in, tokens out, as far as the client's windows allow. */
import { harness } from '../harness.mjs';
import { Call, dataFrame, Response } from './response.mjs';
import { INFER } from './served-model.mjs';

/** @import { DataRange } from '../../src/servers/remote/http2/frame-reader.ts' */

const { frames, encodeHeader, Http2FrameReader, ReadBuffer } = harness;
const { firstWindow, flags, frameHead, frameTypes, largestWindow, numberFrame, settingIds } = frames;

const OUT_BYTES = 256 * 1024;
/** Above this, the socket's own buffer must drain before more is written. */
const SOCKET_BYTES = 1024 * 1024;
const REPLENISH_BYTES = 1024 * 1024;

const MOST_HEADER_BYTES = 64 * 1024;

const RESPONSE_HEADERS = Buffer.concat([
  encodeHeader(':status', '200'),
  encodeHeader('content-type', 'application/grpc'),
]);
const OK_TRAILERS = encodeHeader('grpc-status', '0');
/** No limit on what it can take, and no push. The connection's own window can only grow by a WINDOW_UPDATE. */
const GREETING = Buffer.concat([
  frames.settingsFrame([
    [settingIds.ENABLE_PUSH, 0],
    [settingIds.INITIAL_WINDOW_SIZE, largestWindow],
  ]),
  numberFrame(frameTypes.WINDOW_UPDATE, 0, largestWindow - firstWindow),
]);

/**
 * @param {number} stream
 * @param {Buffer} block
 * @param {number} [bits]
 */
function headersFrame(stream, block, bits = 0) {
  const bytes = Buffer.allocUnsafe(frameHead + block.length);
  const head = { length: block.length, type: frameTypes.HEADERS, flags: flags.END_HEADERS | bits, stream };
  frames.writeHead(bytes, 0, head);
  block.copy(bytes, frameHead);
  return bytes;
}

/** @typedef {{ requests: number, tokens: number, cancelled: number, blocked: number }} Counts */

export class GrpcConnection {
  /** @type {Map<number, Call>} */
  #calls = new Map();
  /** @type {Set<Response>} */
  #responses = new Set();
  #window = firstWindow;
  #callWindow = firstWindow;
  #unacknowledged = 0;
  #prefaceLeft = frames.preface.length;
  #out = Buffer.allocUnsafeSlow(OUT_BYTES);
  #used = 0;
  #input = new ReadBuffer();
  #reader = new Http2FrameReader(this.#input, this, { mostHeaders: MOST_HEADER_BYTES });

  /**
   * @param {import('node:net').Socket} socket
   * @param {{ model: import('./served-model.mjs').ServedModel, paced: boolean, defaultTokens: number, counts: Counts }} options
   */
  constructor(socket, options) {
    this.socket = socket;
    this.options = options;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#onRead(chunk));
    socket.on('drain', () => this.#send());
    socket.on('error', () => socket.destroy());
    this.#put(GREETING);
    this.#flush();
  }

  get openCalls() {
    return this.#calls.size;
  }

  /** One interval has passed: each answer may send one more token, and all of them leave in one write. */
  tick() {
    for (const response of this.#responses) {
      if (response.fresh) response.fresh = false;
      else response.due++;
    }
    this.#send();
  }

  /** @param {Buffer} chunk */
  #onRead(chunk) {
    const skipped = Math.min(this.#prefaceLeft, chunk.length);
    this.#prefaceLeft -= skipped;
    try {
      this.#input.append(skipped > 0 ? chunk.subarray(skipped) : chunk);
      while (this.#reader.next());
    } catch (error) {
      process.stderr.write(`token server: connection closed: ${String(error)}\n`);
      this.socket.destroy();
      return;
    }
    this.#send();
  }

  /**
   * @param {number} stream
   * @param {Readonly<Record<string, string>>} headers
   * @param {boolean} end
   */
  onHeaders(stream, headers, end) {
    const call = new Call(stream, headers[':path'] ?? '', this.#callWindow);
    this.#calls.set(stream, call);
    this.#put(headersFrame(stream, RESPONSE_HEADERS));
    if (end) this.#onClientEnd(call);
  }

  /**
   * @param {number} stream
   * @param {Buffer} bytes
   * @param {DataRange} place
   */
  onData(stream, bytes, { from, to, size, endsStream }) {
    this.#unacknowledged += size;
    if (this.#unacknowledged > REPLENISH_BYTES) {
      this.#put(numberFrame(frameTypes.WINDOW_UPDATE, 0, this.#unacknowledged));
      this.#unacknowledged = 0;
    }
    const call = this.#calls.get(stream);
    if (call === undefined) return;
    call.unacknowledged += size;
    if (call.unacknowledged > REPLENISH_BYTES && !endsStream) {
      this.#put(numberFrame(frameTypes.WINDOW_UPDATE, stream, call.unacknowledged));
      call.unacknowledged = 0;
    }
    call.messages.push(bytes, from, to, (message, begin, end) => this.#onMessage(call, message.subarray(begin, end)));
    if (endsStream) this.#onClientEnd(call);
  }

  /**
   * @param {Call} call
   * @param {Buffer} message
   */
  #onMessage(call, message) {
    if (call.path !== INFER) {
      const result = this.options.model.describe(call.path, message);
      if ('response' in result) this.#put(dataFrame(call.id, result.response));
      this.#endCall(call, result.status, 'text' in result ? result.text : '');
      return;
    }
    this.options.counts.requests++;
    const request = this.options.model.read(message, this.options.defaultTokens);
    if (request.refusal !== undefined) {
      this.#put(dataFrame(call.id, request.refusal));
      return;
    }
    const response = new Response(call, this.options.model, request);
    response.due = this.options.paced ? 1 : Number.POSITIVE_INFINITY;
    call.pendingAnswers++;
    this.#responses.add(response);
  }

  /** @param {Call} call */
  #onClientEnd(call) {
    call.clientEnded = true;
    if (call.pendingAnswers === 0) this.#endCall(call, 0, '');
  }

  /**
   * @param {Call} call
   * @param {number} status
   * @param {string} text
   */
  #endCall(call, status, text) {
    if (!this.#calls.delete(call.id)) return;
    const trailers =
      status === 0 && text === ''
        ? OK_TRAILERS
        : Buffer.concat([
            encodeHeader('grpc-status', String(status)),
            encodeHeader('grpc-message', encodeURI(text).slice(0, 120)),
          ]);
    this.#put(headersFrame(call.id, trailers, flags.END_STREAM));
  }

  /**
   * @param {number} stream
   * @param {number} increment
   */
  onWindow(stream, increment) {
    const call = this.#calls.get(stream);
    if (stream === 0) this.#window += increment;
    else if (call !== undefined) call.window += increment;
  }

  /**
   * @param {Buffer} payload
   * @param {boolean} isResponse
   */
  onPing(payload, isResponse) {
    if (!isResponse) this.#put(frames.pingFrame(payload, true));
  }

  /** @param {readonly (readonly [id: number, value: number])[]} settings */
  onSettings(settings) {
    for (const [id, value] of settings) {
      if (id !== settingIds.INITIAL_WINDOW_SIZE) continue;
      for (const call of this.#calls.values()) call.window += value - this.#callWindow;
      this.#callWindow = value;
    }
    this.#put(frames.settingsAck);
  }

  /** @param {number} stream */
  onReset(stream) {
    if (!this.#calls.delete(stream)) return;
    for (const response of this.#responses) {
      if (response.call.id !== stream) continue;
      this.#responses.delete(response);
      this.options.counts.cancelled++;
    }
  }

  /** The client closes the connection itself. */
  onGoAway() {}

  /** Sends all that is due and that the windows and the socket take. */
  #send() {
    for (const response of this.#responses) {
      if (response.due === 0) continue;
      if (this.socket.writableLength > SOCKET_BYTES) break;
      this.#sendResponse(response);
    }
    this.#flush();
  }

  /** @param {Response} response */
  #sendResponse(response) {
    const { call } = response;
    while (response.due > 0) {
      const last = response.isAtLast;
      const { frame, location } = response.next();
      const cost = frame.length - frameHead;
      if (cost > this.#window || cost > call.window) {
        this.options.counts.blocked++;
        return;
      }
      this.#window -= cost;
      call.window -= cost;
      if (this.#used + frame.length > OUT_BYTES) this.#flush();
      frame.copy(this.#out, this.#used);
      if (location >= 0) this.options.model.writeToken(this.#out, this.#used + location, response.sent, response.bytes);
      this.#used += frame.length;
      response.sent++;
      response.due--;
      this.options.counts.tokens++;
      if (last) {
        this.#responses.delete(response);
        call.pendingAnswers--;
        if (call.clientEnded && call.pendingAnswers === 0) this.#endCall(call, 0, '');
        return;
      }
    }
  }

  /** @param {Buffer} bytes */
  #put(bytes) {
    if (this.#used + bytes.length > OUT_BYTES) this.#flush();
    bytes.copy(this.#out, this.#used);
    this.#used += bytes.length;
  }

  #flush() {
    if (this.#used === 0) return;
    this.socket.write(this.#out.subarray(0, this.#used));
    this.#used = 0;
    // What the kernel has not taken yet still lies in the buffer.
    if (this.socket.writableLength > 0) this.#out = Buffer.allocUnsafeSlow(OUT_BYTES);
  }
}
