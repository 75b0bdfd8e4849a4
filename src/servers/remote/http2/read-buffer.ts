/** Bytes that are taken from the system at once. */
const slabSize = 65_536;

/** A read into less room than this is not worth its system call. */
const smallestRead = 8_192;

/**
 * Where a connection's bytes arrive. They are never written over: whoever took a part of them may keep it, and a frame
 * that comes in two reads is in one piece, without a copy in most cases.
 */
export class ReadBuffer {
  bytes = Buffer.allocUnsafeSlow(slabSize);
  /** The first byte that nobody has taken yet, and the end of what has arrived. */
  from = 0;
  to = 0;

  /** Room for the next read, right behind the last. */
  space(): Buffer {
    if (this.bytes.length - this.to < smallestRead) this.#renew(0);
    return this.bytes.subarray(this.to);
  }

  /** Takes bytes that were read elsewhere. */
  append(chunk: Buffer): void {
    if (this.bytes.length - this.to < chunk.length) this.#renew(chunk.length);
    chunk.copy(this.bytes, this.to);
    this.to += chunk.length;
  }

  #renew(needed: number): void {
    const rest = this.to - this.from;
    const next = Buffer.allocUnsafeSlow(Math.max(slabSize, rest + needed));
    this.bytes.copy(next, 0, this.from, this.to);
    this.bytes = next;
    this.from = 0;
    this.to = rest;
  }
}
