/** The server's end of one HTTP/2 connection: calls in, tokens out, as far as the client's windows allow. */
import { Answer, Call, dataFrame } from './grpc-call.mjs';
import { errorResponse, SERVICE } from './model.mjs';
import { encodeHeaders, HeaderDecoder } from './wire/hpack.mjs';
import * as http2 from './wire/http2.mjs';

const OUT_BYTES = 256 * 1024;
/** Above this, the socket's own buffer must drain before more is written. */
const SOCKET_BYTES = 1024 * 1024;
const REPLENISH_BYTES = 1024 * 1024;

const RESPONSE_HEADERS = encodeHeaders([
  [':status', '200'],
  ['content-type', 'application/grpc'],
]);

/** @typedef {{ requests: number, tokens: number, cancelled: number, blocked: number }} Counts */

export class GrpcConnection {
  /** @type {Map<number, Call>} */
  #calls = new Map();
  /** @type {Set<Answer>} */
  #answers = new Set();
  #decoder = new HeaderDecoder();
  #window = http2.DEFAULT_WINDOW;
  #callWindow = http2.DEFAULT_WINDOW;
  #unacknowledged = 0;
  #prefaceLeft = http2.PREFACE.length;
  #out = Buffer.allocUnsafeSlow(OUT_BYTES);
  #used = 0;
  #reader = new http2.FrameReader({
    data: (stream, payload, end, size) => this.#onData(stream, payload, end, size),
    headers: (stream, block, end) => this.#onHeaders(stream, block, end),
    other: (type, flags, stream, payload) => this.#onOther(type, flags, stream, payload),
  });

  /**
   * @param {import('node:net').Socket} socket
   * @param {{ model: import('./model.mjs').ServedModel, paced: boolean, defaultTokens: number, counts: Counts }} options
   */
  constructor(socket, options) {
    this.socket = socket;
    this.options = options;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#onRead(chunk));
    socket.on('drain', () => this.#send());
    socket.on('error', () => socket.destroy());
    this.#put(http2.greeting());
    this.#flush();
  }

  get openCalls() {
    return this.#calls.size;
  }

  /** One interval has passed: each answer may send one more token, and all of them leave in one write. */
  tick() {
    for (const answer of this.#answers) {
      if (answer.fresh) answer.fresh = false;
      else answer.due++;
    }
    this.#send();
  }

  /** @param {Buffer} chunk */
  #onRead(chunk) {
    const skipped = Math.min(this.#prefaceLeft, chunk.length);
    this.#prefaceLeft -= skipped;
    try {
      this.#reader.push(chunk.subarray(skipped));
    } catch (error) {
      process.stderr.write(`token server: connection closed: ${String(error)}\n`);
      this.socket.destroy();
      return;
    }
    this.#send();
  }

  /**
   * @param {number} stream
   * @param {Buffer} block
   * @param {boolean} end
   */
  #onHeaders(stream, block, end) {
    const path = this.#decoder.decode(block).get(':path') ?? '';
    const call = new Call(stream, path, this.#callWindow);
    this.#calls.set(stream, call);
    this.#put(http2.frame({ type: http2.HEADERS, flags: http2.END_HEADERS, stream }, RESPONSE_HEADERS));
    if (end) this.#onClientEnd(call);
  }

  /**
   * @param {number} stream
   * @param {Buffer} payload
   * @param {boolean} end
   * @param {number} size
   */
  #onData(stream, payload, end, size) {
    this.#unacknowledged += size;
    if (this.#unacknowledged > REPLENISH_BYTES) {
      this.#put(http2.windowUpdate(0, this.#unacknowledged));
      this.#unacknowledged = 0;
    }
    const call = this.#calls.get(stream);
    if (call === undefined) return;
    call.unacknowledged += size;
    if (call.unacknowledged > REPLENISH_BYTES && !end) {
      this.#put(http2.windowUpdate(stream, call.unacknowledged));
      call.unacknowledged = 0;
    }
    for (const message of call.messages(payload)) this.#onMessage(call, message);
    if (end) this.#onClientEnd(call);
  }

  /**
   * @param {Call} call
   * @param {Buffer} message
   */
  #onMessage(call, message) {
    if (call.path !== `${SERVICE}ModelStreamInfer`) {
      const result = this.options.model.describe(call.path, message);
      if ('answer' in result) this.#put(dataFrame(call.id, result.answer));
      this.#endCall(call, result.status, 'text' in result ? result.text : '');
      return;
    }
    this.options.counts.requests++;
    const request = this.options.model.read(message, this.options.defaultTokens);
    if (request.error !== undefined) {
      this.#put(dataFrame(call.id, errorResponse({ ...request, error: request.error })));
      return;
    }
    const answer = new Answer(call, this.options.model, request);
    answer.due = this.options.paced ? 1 : Number.POSITIVE_INFINITY;
    call.pendingAnswers++;
    this.#answers.add(answer);
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
    /** @type {[string, string][]} */
    const trailers = [['grpc-status', String(status)]];
    if (text !== '') trailers.push(['grpc-message', encodeURI(text).slice(0, 120)]);
    const flags = http2.END_HEADERS | http2.END_STREAM;
    this.#put(http2.frame({ type: http2.HEADERS, flags, stream: call.id }, encodeHeaders(trailers)));
  }

  /**
   * @param {number} type
   * @param {number} flags
   * @param {number} stream
   * @param {Buffer} payload
   */
  #onOther(type, flags, stream, payload) {
    if (type === http2.WINDOW_UPDATE) {
      const call = this.#calls.get(stream);
      if (stream === 0) this.#window += payload.readUInt32BE(0);
      else if (call !== undefined) call.window += payload.readUInt32BE(0);
    } else if (type === http2.PING && (flags & http2.ACK) === 0) {
      this.#put(http2.frame({ type, flags: http2.ACK }, payload));
    } else if (type === http2.SETTINGS && (flags & http2.ACK) === 0) {
      this.#onSettings(payload);
    } else if (type === http2.RST_STREAM) {
      this.#onReset(stream);
    }
  }

  /** @param {Buffer} payload */
  #onSettings(payload) {
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      if (payload.readUInt16BE(at) !== 4) continue;
      const callWindow = payload.readUInt32BE(at + 2);
      for (const call of this.#calls.values()) call.window += callWindow - this.#callWindow;
      this.#callWindow = callWindow;
    }
    this.#put(http2.frame({ type: http2.SETTINGS, flags: http2.ACK }));
  }

  /** @param {number} stream */
  #onReset(stream) {
    if (!this.#calls.delete(stream)) return;
    for (const answer of this.#answers) {
      if (answer.call.id !== stream) continue;
      this.#answers.delete(answer);
      this.options.counts.cancelled++;
    }
  }

  /** Sends all that is due and that the windows and the socket take. */
  #send() {
    for (const answer of this.#answers) {
      if (answer.due === 0) continue;
      if (this.socket.writableLength > SOCKET_BYTES) break;
      this.#sendAnswer(answer);
    }
    this.#flush();
  }

  /** @param {Answer} answer */
  #sendAnswer(answer) {
    const { call } = answer;
    while (answer.due > 0) {
      const last = answer.sent === answer.tokens - 1;
      const frame = last ? answer.lastFrame : answer.frame;
      const place = last ? answer.lastPlace : answer.place;
      const cost = frame.length - 9;
      if (cost > this.#window || cost > call.window) {
        this.options.counts.blocked++;
        return;
      }
      this.#window -= cost;
      call.window -= cost;
      if (this.#used + frame.length > OUT_BYTES) this.#flush();
      frame.copy(this.#out, this.#used);
      if (place >= 0) this.options.model.writeToken(this.#out, this.#used + place, answer.sent, answer.bytes);
      this.#used += frame.length;
      answer.sent++;
      answer.due--;
      this.options.counts.tokens++;
      if (last) {
        this.#answers.delete(answer);
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
