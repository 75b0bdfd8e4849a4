/** A call to the token server, and an answer on its way. */
import { harness } from '../harness.mjs';

const { frameHead, frameTypes, writeHead } = harness.frames;
const PREFIX = 5;
const MOST_REQUEST_BYTES = 64 * 1024 * 1024;

/**
 * A gRPC message in its DATA frame.
 * @param {number} stream
 * @param {Uint8Array} message
 */
export function dataFrame(stream, message) {
  const bytes = Buffer.allocUnsafe(frameHead + PREFIX + message.length);
  writeHead(bytes, 0, { length: PREFIX + message.length, type: frameTypes.DATA, stream });
  bytes[frameHead] = 0;
  bytes.writeUInt32BE(message.length, frameHead + 1);
  bytes.set(message, frameHead + PREFIX);
  return bytes;
}

/** A call: an HTTP/2 stream. */
export class Call {
  pendingAnswers = 0;
  clientEnded = false;
  unacknowledged = 0;
  messages = new harness.MessageReader('client', MOST_REQUEST_BYTES);

  /**
   * @param {number} id
   * @param {string} path
   * @param {number} window
   */
  constructor(id, path, window) {
    this.id = id;
    this.path = path;
    this.window = window;
  }
}

/** An answer on its way: each token is a copy of a prepared frame with four bytes changed. */
export class Response {
  sent = 0;
  /** Tokens that may be sent by now. */
  due = 0;
  /** Its first token went out between two ticks: the coming tick is not for it. */
  fresh = true;
  #model;
  #request;
  #frame;

  /**
   * @param {Call} call
   * @param {import('./served-model.mjs').ServedModel} model
   * @param {import('./served-model.mjs').Accepted & { id: string }} request
   */
  constructor(call, model, request) {
    this.call = call;
    this.tokens = request.tokens;
    this.bytes = request.response;
    this.#model = model;
    this.#request = request;
    this.#frame = this.#framed(request.tokens === 1);
  }

  get isAtLast() {
    return this.sent === this.tokens - 1;
  }

  /** The frame of the next token, and where in it the token stands. */
  next() {
    if (this.isAtLast && this.sent > 0) this.#frame = this.#framed(true);
    return this.#frame;
  }

  /** @param {boolean} final */
  #framed(final) {
    const { bytes, idOffset, tokenOffset } = this.#model.template(this.#request, final);
    const frame = dataFrame(this.call.id, bytes);
    if (idOffset >= 0) frame.write(this.#request.id, frameHead + PREFIX + idOffset, 'latin1');
    return { frame, location: tokenOffset < 0 ? -1 : frameHead + PREFIX + tokenOffset };
  }
}
