/** The same questions asked of Triton directly: calls on one HTTP/2 connection, as cheap as the other lanes. */
import net from 'node:net';
import { SERVICE } from '../model.mjs';
import { modelOf } from '../models.mjs';
import { inferRequest } from '../tensors.mjs';
import { encodeHeaders, HeaderDecoder } from '../wire/hpack.mjs';
import * as http2 from '../wire/http2.mjs';

/** @import { Lane, LaneOptions, Listener } from './http-lane.mjs' */

const ERROR_MESSAGE_TAG = 0x0a;

/** One call at a time: counts the responses by their frames, and looks into none but for a fault. */
class GrpcCall {
  seen = 0;
  /** @type {string | undefined} */
  fault;
  #prefix = Buffer.alloc(5);
  #prefixUsed = 0;
  #messageLeft = 0;

  /**
   * @param {number} expected
   * @param {Listener} listener
   */
  constructor(expected, listener) {
    this.expected = expected;
    this.listener = listener;
  }

  /** @param {Buffer} payload */
  push(payload) {
    const before = this.seen;
    for (let at = 0; at < payload.length; ) {
      if (this.#messageLeft > 0) {
        const taken = Math.min(this.#messageLeft, payload.length - at);
        this.#messageLeft -= taken;
        at += taken;
      } else {
        this.#prefixUsed = this.#prefix.writeUInt8(payload.readUInt8(at++), this.#prefixUsed);
        if (this.#prefixUsed < 5) continue;
        this.#prefixUsed = 0;
        this.#messageLeft = this.#prefix.readUInt32BE(1);
        if (payload[at] === ERROR_MESSAGE_TAG)
          this.fault = `an error came: ${payload.toString('latin1', at, at + 300)}`;
        this.seen++;
      }
    }
    if (this.seen > before) this.listener.tokens(this.seen - before);
  }
}

class GrpcClient {
  /** @type {Map<number, GrpcCall>} */
  #calls = new Map();
  #decoder = new HeaderDecoder();
  #nextStream = 1;
  #unacknowledged = 0;
  #socket;
  #options;
  #headers;
  #reader = new http2.FrameReader({
    data: (stream, payload, end, size) => this.#onData(stream, payload, end, size),
    headers: (stream, block, end) => this.#onHeaders(stream, block, end),
    other: (type, flags, stream, payload) => this.#onOther(type, flags, stream, payload),
  });

  /** @param {LaneOptions} options */
  constructor(options) {
    this.#options = options;
    this.#headers = encodeHeaders([
      [':method', 'POST'],
      [':scheme', 'http'],
      [':path', `${SERVICE}ModelStreamInfer`],
      [':authority', options.url.host],
      ['content-type', 'application/grpc'],
      ['te', 'trailers'],
    ]);
    const buffer = Buffer.allocUnsafeSlow(256 * 1024);
    const callback = (/** @type {number} */ size) => {
      this.#reader.push(buffer.subarray(0, size));
      return true;
    };
    const { hostname: host, port } = options.url;
    this.#socket = net.connect({ host, port: Number(port), onread: { buffer, callback } });
    this.#socket.setNoDelay(true);
    this.#socket.on('error', (error) => this.#failAll(`the connection failed: ${error.message}`));
    this.#socket.on('close', () => this.#failAll('the connection was closed'));
    this.#socket.write(Buffer.concat([http2.PREFACE, http2.greeting()]));
  }

  /**
   * @param {number} tokens
   * @param {Listener} listener
   */
  ask(tokens, listener) {
    if (this.#socket.destroyed) {
      setImmediate(() => listener.end('the connection is closed'));
      return;
    }
    const stream = this.#nextStream;
    this.#nextStream += 2;
    this.#calls.set(stream, new GrpcCall(tokens, listener));
    const { model, prompt, contract } = this.#options;
    const message = inferRequest({ id: String(stream), model, inputs: modelOf(contract).ask(prompt, tokens) });
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(message.length, 1);
    this.#socket.write(
      Buffer.concat([
        http2.frame({ type: http2.HEADERS, flags: http2.END_HEADERS, stream }, this.#headers),
        http2.frame({ type: http2.DATA, flags: http2.END_STREAM, stream }, Buffer.concat([prefix, message])),
      ]),
    );
  }

  close() {
    this.#calls.clear();
    this.#socket.destroy();
  }

  /** @param {string} fault */
  #failAll(fault) {
    for (const stream of this.#calls.keys()) this.#end(stream, fault);
  }

  /**
   * @param {number} stream
   * @param {string | undefined} fault
   */
  #end(stream, fault) {
    const call = this.#calls.get(stream);
    this.#calls.delete(stream);
    call?.listener.end(fault);
  }

  /**
   * @param {number} stream
   * @param {Buffer} payload
   * @param {boolean} end
   * @param {number} size
   */
  #onData(stream, payload, end, size) {
    this.#unacknowledged += size;
    if (this.#unacknowledged > http2.LARGEST_WINDOW / 2) {
      this.#socket.write(http2.windowUpdate(0, this.#unacknowledged));
      this.#unacknowledged = 0;
    }
    this.#calls.get(stream)?.push(payload);
    if (end) this.#end(stream, 'the call ended without trailers');
  }

  /**
   * @param {number} stream
   * @param {Buffer} block
   * @param {boolean} end
   */
  #onHeaders(stream, block, end) {
    const headers = this.#decoder.decode(block);
    const call = this.#calls.get(stream);
    if (!end || call === undefined) return;
    const status = headers.get('grpc-status');
    if (status !== '0') this.#end(stream, `gRPC status ${status}: ${headers.get('grpc-message')}`);
    else if (call.fault !== undefined) this.#end(stream, call.fault);
    else if (call.seen !== call.expected) this.#end(stream, `${call.seen} responses instead of ${call.expected}`);
    else this.#end(stream, undefined);
  }

  /**
   * @param {number} type
   * @param {number} flags
   * @param {number} stream
   * @param {Buffer} payload
   */
  #onOther(type, flags, stream, payload) {
    if (type === http2.RST_STREAM) this.#end(stream, `the call was reset with code ${payload.readUInt32BE(0)}`);
    else if (type === http2.GOAWAY) this.#failAll('the server says GOAWAY');
    else if ((flags & http2.ACK) !== 0) return;
    else if (type === http2.SETTINGS) this.#socket.write(http2.frame({ type, flags: http2.ACK }));
    else if (type === http2.PING) this.#socket.write(http2.frame({ type, flags: http2.ACK }, payload));
  }
}

/**
 * Lanes to a Triton, all on one connection.
 * @param {LaneOptions} options
 * @param {number} count
 * @returns {Lane[]}
 */
export function openGrpcLanes(options, count) {
  const client = new GrpcClient(options);
  return Array.from({ length: count }, () => client);
}
