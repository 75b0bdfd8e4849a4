import { StatusError } from './status.ts';

/** The tag of a field of texts, bytes or messages. */
export function field(number: number): number {
  return (number << 3) | 2;
}

/** A position in a protobuf message. A step past its end is an error of the server. */
export class Cursor {
  at: number;
  #end: number;
  #bytes: Buffer;

  constructor(bytes: Buffer, at: number, end: number) {
    this.#bytes = bytes;
    this.at = at;
    this.#end = end;
  }

  get end(): number {
    return this.#end;
  }

  /** Moves to a position in another message. */
  move(bytes: Buffer, at: number, end: number): this {
    this.#bytes = bytes;
    this.at = at;
    this.#end = end;
    return this;
  }

  peek(): number {
    return this.#bytes[this.at] as number;
  }

  /** A signed 64-bit integer; lengths and tags are small ones. */
  varint(): number {
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return low;
    }
    return this.#longVarint(low);
  }

  /** The rest of an integer of more than 28 bits, in two halves that JavaScript's bit operators can hold. */
  #longVarint(first: number): number {
    let byte = this.#byte();
    const low = (first | (byte << 28)) >>> 0;
    let high = (byte & 0x7f) >> 4;
    for (let shift = 3; byte >= 0x80; shift += 7) {
      if (shift > 31) throw malformed();
      byte = this.#byte();
      high |= (byte & 0x7f) << shift;
    }
    return high * 2 ** 32 + low;
  }

  #byte(): number {
    if (this.at >= this.#end) throw malformed();
    return this.#bytes[this.at++] as number;
  }

  text(): string {
    const from = this.#skipBytes();
    return this.#bytes.toString('utf8', from, this.at);
  }

  bytes(): Buffer {
    const from = this.#skipBytes();
    return this.#bytes.subarray(from, this.at);
  }

  double(): number {
    const from = this.at;
    this.skipTo(from + 8);
    return this.#bytes.readDoubleLE(from);
  }

  nested(): Cursor {
    const from = this.#skipBytes();
    return new Cursor(this.#bytes, from, this.at);
  }

  /** Moves after a field of texts, bytes or messages, and returns the start of its content. */
  #skipBytes(): number {
    const length = this.varint();
    const from = this.at;
    this.skipTo(from + length);
    return from;
  }

  skipTo(at: number): void {
    // A negative length would move backwards, which never ends.
    if (at > this.#end || at < this.at) throw malformed();
    this.at = at;
  }

  skip(tag: number): void {
    const wireType = tag & 7;
    if (wireType === 0) this.varint();
    else if (wireType === 1) this.skipTo(this.at + 8);
    else if (wireType === 2) this.skipTo(this.varint() + this.at);
    else if (wireType === 5) this.skipTo(this.at + 4);
    else throw malformed();
  }
}

function malformed(): StatusError {
  return new StatusError('INTERNAL', 'The server sent an invalid protobuf message.');
}
