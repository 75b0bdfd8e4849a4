/** A call to the token server, and an answer on its way. */
import { tokenPlace } from './model.mjs';
import * as http2 from './wire/http2.mjs';

/**
 * A gRPC message in its DATA frame.
 * @param {number} stream
 * @param {Buffer} message
 */
export function dataFrame(stream, message) {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return http2.frame({ type: http2.DATA, stream }, Buffer.concat([prefix, message]));
}

/** A call: an HTTP/2 stream. */
export class Call {
  /** @type {Buffer[]} */
  received = [];
  pendingAnswers = 0;
  clientEnded = false;
  unacknowledged = 0;

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

  /**
   * The whole messages that have come so far.
   * @param {Buffer} payload
   */
  *messages(payload) {
    this.received.push(Buffer.from(payload));
    let bytes = Buffer.concat(this.received);
    while (bytes.length >= 5 && bytes.length >= 5 + bytes.readUInt32BE(1)) {
      if (bytes[0] !== 0) throw new Error('the token server takes no compressed messages');
      const end = 5 + bytes.readUInt32BE(1);
      yield bytes.subarray(5, end);
      bytes = bytes.subarray(end);
    }
    this.received = bytes.length > 0 ? [bytes] : [];
  }
}

/** An answer on its way: each token is a copy of a prepared frame with four bytes changed. */
export class Answer {
  sent = 0;
  /** Tokens that may be sent by now. */
  due = 0;
  /** Its first token went out between two ticks: the coming tick is not for it. */
  fresh = true;

  /**
   * @param {Call} call
   * @param {import('./model.mjs').ServedModel} model
   * @param {{ id: string, tokens: number, promptTokens: number, outputs: string[], answer?: Buffer }} request
   */
  constructor(call, model, request) {
    this.call = call;
    this.tokens = request.tokens;
    this.bytes = request.answer;
    this.frame = dataFrame(call.id, model.responseTemplate(request, false));
    this.lastFrame = dataFrame(call.id, model.responseTemplate(request, true));
    this.place = tokenPlace(this.frame);
    this.lastPlace = tokenPlace(this.lastFrame);
  }
}
