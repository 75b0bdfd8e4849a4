/**
 * Follows UTF-8 byte by byte, and knows how much of a character has come. What it takes for the beginning of a
 * character is what decoders replace by a single U+FFFD when the rest does not follow.
 */
export class Utf8Progress {
  /** Bytes of a character that has begun and is not complete. */
  begun = 0;
  #missing = 0;
  #lowest = 0x80;
  #highest = 0xbf;

  /** False when the byte cannot follow those before; it then is not counted, and what had begun is given up. */
  take(byte: number): boolean {
    if (this.begun === 0) return this.#start(byte);
    if (byte < this.#lowest || byte > this.#highest) {
      this.begun = 0;
      return false;
    }
    this.#lowest = 0x80;
    this.#highest = 0xbf;
    this.#missing -= 1;
    this.begun = this.#missing === 0 ? 0 : this.begun + 1;
    return true;
  }

  #start(byte: number): boolean {
    if (byte < 0x80) return true;
    if (byte < 0xc2 || byte > 0xf4) return false;
    this.begun = 1;
    this.#missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    // Overlong forms, surrogates and what lies beyond U+10FFFF are known by their second byte.
    this.#lowest = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
    this.#highest = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
    return true;
  }
}
