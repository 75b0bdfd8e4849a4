/** The size of one allocation. */
const slabSize = 65_536;

/** A read into less space than this is not worth its system call. */
const smallestRead = 8_192;

/**
 * The received bytes of a connection. They are never overwritten, so readers may hold on to parts of them. A frame that
 * arrives in two reads is contiguous, without a copy in most cases.
 */
export class ReadBuffer {
  bytes = Buffer.allocUnsafeSlow(slabSize);
  /** The first unread byte, and the end of the received bytes. */
  from = 0;
  to = 0;

  /** The free space for the next read, right after the last. */
  space(): Buffer {
    if (this.bytes.length - this.to < smallestRead) this.#renew(0);
    return this.bytes.subarray(this.to);
  }

  /** Appends bytes that were read elsewhere. */
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
