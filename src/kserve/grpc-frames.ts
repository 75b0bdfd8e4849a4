import { StatusError } from './status.ts';

const prefixLength = 5;

/** gRPC messages, each with its prefix: no compression, the length. */
export function frames(messages: readonly Uint8Array[]): Buffer {
  let size = 0;
  for (const message of messages) size += prefixLength + message.length;
  const framed = Buffer.allocUnsafe(size);
  let at = 0;
  for (const message of messages) {
    framed[at] = 0;
    framed.writeUInt32BE(message.length, at + 1);
    framed.set(message, at + prefixLength);
    at += prefixLength + message.length;
  }
  return framed;
}

/** One message with its prefix. */
export function frame(message: Uint8Array): Buffer {
  return frames([message]);
}

/** Receives a message as a range of bytes, so that none is copied or wrapped. The receiver may hold on to the bytes. */
export type OnMessage = (bytes: Buffer, from: number, to: number, isCompressed: boolean) => void;

/** A response that is larger than allowed: every server would send the same. */
export class OversizedMessage extends StatusError {
  constructor(length: number, allowed: number) {
    super('RESOURCE_EXHAUSTED', `The server sent a message of ${length} bytes, more than the ${allowed} allowed.`);
  }
}

/** Finds the messages of a server or client in a byte stream, wherever chunks begin and end. Clients may compress. */
export class FrameReader {
  readonly #sender: 'server' | 'client';
  readonly #maxMessageSize: number;
  /** The bytes of an incomplete message, and how many are needed before the next check. */
  #pending: Buffer[] = [];
  #pendingLength = 0;
  #needed = prefixLength;

  constructor(sender: 'server' | 'client', maxMessageSize: number) {
    this.#sender = sender;
    this.#maxMessageSize = maxMessageSize;
  }

  get isInsideMessage(): boolean {
    return this.#pendingLength > 0;
  }

  /** Emits each message that the bytes complete. Throws a StatusError for an invalid message. */
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
      onMessage(bytes, at + prefixLength, next, bytes[at] === 1);
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
    if (bytes[at] !== 0) this.#checkFlag(bytes[at] as number);
    const length = bytes.readUInt32BE(at + 1);
    if (length > this.#maxMessageSize) throw this.#oversized(length);
    return length;
  }

  #checkFlag(flag: number): void {
    if (this.#sender === 'server')
      throw new StatusError('INTERNAL', 'The server sent a compressed message, which Conch did not request.');
    if (flag > 1) throw new StatusError('INTERNAL', 'Invalid gRPC message: unknown compression flag.');
  }

  #oversized(length: number): StatusError {
    const allowed = this.#maxMessageSize;
    if (this.#sender === 'server') return new OversizedMessage(length, allowed);
    return new StatusError('RESOURCE_EXHAUSTED', `Received message larger than max (${length} vs. ${allowed})`);
  }
}
