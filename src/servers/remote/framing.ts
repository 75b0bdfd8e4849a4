import { OversizedMessage } from '../../kserve/oversized-message.ts';
import { StatusError } from '../../kserve/status.ts';

const prefixLength = 5;

/** A gRPC message with its prefix: no compression, the length, the bytes. */
export function frame(message: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(prefixLength + message.length);
  framed[0] = 0;
  framed.writeUInt32BE(message.length, 1);
  framed.set(message, prefixLength);
  return framed;
}

/** Takes a message as the place where it stands, so that none is copied or wrapped. The bytes are the taker's to keep. */
export type OnMessage = (bytes: Buffer, from: number, to: number) => void;

/** Finds the messages in a byte stream, wherever it is cut. */
export class MessageReader {
  readonly #maxMessageSize: number;
  /** Bytes of a message that is not whole yet, and how many there must be before it is worth another look. */
  #pending: Buffer[] = [];
  #pendingLength = 0;
  #needed = prefixLength;

  constructor(maxMessageSize: number) {
    this.#maxMessageSize = maxMessageSize;
  }

  get isInsideMessage(): boolean {
    return this.#pendingLength > 0;
  }

  /** Hands on each message that the bytes complete. Throws a StatusError on a message that may not be. */
  push(chunk: Buffer, from: number, to: number, onMessage: OnMessage): void {
    let bytes = chunk;
    let at = from;
    let end = to;
    if (this.#pendingLength > 0) {
      this.#pending.push(chunk.subarray(from, to));
      this.#pendingLength += to - from;
      if (this.#pendingLength < this.#needed) return;
      bytes = Buffer.concat(this.#pending, this.#pendingLength);
      at = 0;
      end = bytes.length;
      this.#pending = [];
      this.#pendingLength = 0;
    }
    while (end - at >= prefixLength) {
      const next = at + prefixLength + this.#lengthAt(bytes, at);
      if (next > end) break;
      onMessage(bytes, at + prefixLength, next);
      at = next;
    }
    if (at < end) this.#keep(bytes.subarray(at, end));
  }

  #keep(rest: Buffer): void {
    this.#pending.push(rest);
    this.#pendingLength = rest.length;
    this.#needed = rest.length < prefixLength ? prefixLength : prefixLength + this.#lengthAt(rest, 0);
  }

  #lengthAt(bytes: Buffer, at: number): number {
    if (bytes[at] !== 0) throw new StatusError('INTERNAL', 'The server sent a compressed message without being asked.');
    const length = bytes.readUInt32BE(at + 1);
    if (length > this.#maxMessageSize) throw new OversizedMessage(length, this.#maxMessageSize);
    return length;
  }
}
