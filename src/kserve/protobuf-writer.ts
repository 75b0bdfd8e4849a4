import { field } from './cursor.ts';

/** The size of the shared buffer, enough for most messages. */
const usualSize = 16 * 1024;

/** The buffer that messages are written into, one at a time; undefined while it is in use. */
let free: Buffer | undefined = Buffer.allocUnsafeSlow(usualSize);

/**
 * Writes a protobuf message into one buffer. An inference has some twenty short fields, and an object for each of them
 * costs more than its bytes do.
 */
export class ProtobufWriter {
  #bytes = free ?? Buffer.allocUnsafeSlow(usualSize);
  #at = 0;
  /** Offsets of the nested messages that have not ended. */
  readonly #openOffsets: number[] = [];

  constructor() {
    free = undefined;
  }

  text(number: number, text: string): this {
    this.#tag(field(number));
    this.#reserve(5 + text.length * 3);
    // The length of a short text takes one byte, and is known once it is written.
    if (text.length * 3 < 0x80) {
      const length = this.#bytes.write(text, this.#at + 1);
      this.#bytes[this.#at] = length;
      this.#at += 1 + length;
      return this;
    }
    this.#varint(Buffer.byteLength(text));
    this.#at += this.#bytes.write(text, this.#at);
    return this;
  }

  bytes(number: number, bytes: Uint8Array): this {
    this.#tag(field(number));
    this.#reserve(5 + bytes.length);
    this.#varint(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
    return this;
  }

  bool(number: number, value: boolean): this {
    this.#tag(number << 3);
    this.#varint(value ? 1 : 0);
    return this;
  }

  /** A 64-bit integer, with or without a sign: both have the same bytes. */
  integer(number: number, value: number | bigint): this {
    this.#tag(number << 3);
    this.#integer(value);
    return this;
  }

  double(number: number, value: number): this {
    this.#tag((number << 3) | 1);
    this.#reserve(8);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
    return this;
  }

  /** Integers in one field. */
  packed(number: number, values: readonly number[]): this {
    this.begin(number);
    for (const value of values) this.#integer(value);
    return this.end();
  }

  /** Starts a nested message. */
  begin(number: number): this {
    this.#tag(field(number));
    this.#openOffsets.push(this.#at);
    // The length of most takes one byte.
    this.#reserve(1);
    this.#at++;
    return this;
  }

  /** Ends the innermost nested message. */
  end(): this {
    const from = this.#openOffsets.pop() ?? 0;
    const length = this.#at - from - 1;
    if (length < 0x80) {
      this.#bytes[from] = length;
      return this;
    }
    this.#reserve(4);
    const more = varintSize(length) - 1;
    this.#bytes.copyWithin(from + 1 + more, from + 1, this.#at);
    this.#at = from;
    this.#varint(length);
    this.#at += length;
    return this;
  }

  /** The bytes of the message. Nothing can be written after it. */
  finish(): Buffer {
    const message = Buffer.allocUnsafe(this.#at);
    this.#bytes.copy(message, 0, 0, this.#at);
    if (this.#bytes.length === usualSize) free = this.#bytes;
    return message;
  }

  #tag(tag: number): void {
    this.#reserve(2);
    this.#varint(tag);
  }

  #integer(value: number | bigint): void {
    this.#reserve(10);
    if (typeof value === 'number' && value >= 0 && value < 2 ** 31) this.#varint(value);
    else this.#long(BigInt.asUintN(64, BigInt(value)));
  }

  /** An integer below 2³¹. */
  #varint(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest >>>= 7) this.#bytes[this.#at++] = (rest & 0x7f) | 0x80;
    this.#bytes[this.#at++] = rest;
  }

  #long(value: bigint): void {
    let rest = value;
    for (; rest >= 0x80n; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#at++] = Number(rest);
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#at + size));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest >>>= 7) size++;
  return size;
}
