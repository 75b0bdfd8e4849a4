import { StatusError } from '../../kserve/status.ts';

const prefixLength = 5;

/** A message as it came: compressed ones are marked. */
export interface IncomingMessage {
  readonly bytes: Buffer;
  readonly isCompressed: boolean;
}

/** Messages with their prefixes, in one piece. */
export function frames(messages: readonly Uint8Array[]): Buffer {
  const size = messages.reduce((sum, message) => sum + prefixLength + message.length, 0);
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

/** Finds the messages of a client in a byte stream, wherever it is cut. */
export class IncomingMessages {
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

  /** The messages that the chunk completes. Throws a StatusError on one that may not be. */
  push(chunk: Buffer): IncomingMessage[] {
    this.#pending.push(chunk);
    this.#pendingLength += chunk.length;
    if (this.#pendingLength < this.#needed) return [];
    const bytes = this.#pending.length === 1 ? chunk : Buffer.concat(this.#pending, this.#pendingLength);
    const messages: IncomingMessage[] = [];
    let at = 0;
    let needed = prefixLength;
    while (bytes.length - at >= prefixLength) {
      needed = prefixLength + this.#lengthAt(bytes, at);
      if (at + needed > bytes.length) break;
      messages.push({ bytes: bytes.subarray(at + prefixLength, at + needed), isCompressed: bytes[at] === 1 });
      at += needed;
      needed = prefixLength;
    }
    this.#pending = at < bytes.length ? [bytes.subarray(at)] : [];
    this.#pendingLength = bytes.length - at;
    this.#needed = needed;
    return messages;
  }

  #lengthAt(bytes: Buffer, at: number): number {
    if ((bytes[at] as number) > 1) throw new StatusError('INTERNAL', 'A message does not begin as gRPC messages do.');
    const length = bytes.readUInt32BE(at + 1);
    if (length > this.#maxMessageSize)
      throw new StatusError(
        'RESOURCE_EXHAUSTED',
        `Received message larger than max (${length} vs. ${this.#maxMessageSize})`,
      );
    return length;
  }
}
