/**
 * HPACK (RFC 7541): a decoder for the headers of one connection, and literals for our own, which need no memory.
 * Huffman codes are known for the characters below 128: gRPC headers hold no others.
 */

const STATIC_NAMES =
  `:authority|:method|:method|:path|:path|:scheme|:scheme|:status|:status|:status|:status|:status|:status|:status
accept-charset|accept-encoding|accept-language|accept-ranges|accept|access-control-allow-origin|age|allow|authorization
cache-control|content-disposition|content-encoding|content-language|content-length|content-location|content-range
content-type|cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|if-none-match|if-range
if-unmodified-since|last-modified|link|location|max-forwards|proxy-authenticate|proxy-authorization|range|referer|refresh
retry-after|server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate`.split(
    /[|\n]/,
  );
const STATIC_VALUES = ['', 'GET', 'POST', '/', '/index.html', 'http', 'https'].concat(
  ['200', '204', '206', '304', '400', '404', '500'],
  ['', 'gzip, deflate'],
);

/** Characters by the length of their code; the code is canonical, so the lengths give all of it (RFC 7541, B). */
const HUFFMAN_LENGTHS = new Map([
  [5, '012aceiost'],
  [6, ' %-./3456789=A_bdfghlmnpru'],
  [7, ':BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz'],
  [8, '&*,;XZ'],
  [10, '!"()?'],
  [11, "'+|"],
  [12, '#>'],
  [13, '\0$@[]~'],
  [14, '^}'],
  [15, '<`{'],
  [19, '\\'],
]);

/** @type {Map<number, string>} the code with a one bit before it -> its character */
const HUFFMAN = new Map();
let code = 0;
let codeLength = 0;
for (const [length, characters] of HUFFMAN_LENGTHS) {
  code <<= length - codeLength;
  codeLength = length;
  for (const character of characters) HUFFMAN.set((1 << length) | code++, character);
}

/** @param {Buffer} bytes */
function unhuffman(bytes) {
  let text = '';
  let bits = 1;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      bits = (bits << 1) | ((byte >> bit) & 1);
      const character = HUFFMAN.get(bits);
      if (character !== undefined) {
        text += character;
        bits = 1;
      } else if (bits > 1 << 20) {
        throw new Error('a header holds a character that this decoder does not know');
      }
    }
  }
  return text;
}

/** The headers of one direction of one connection: blocks must be decoded in the order in which they came. */
export class HeaderDecoder {
  /** @type {[string, string][]} newest first */
  #table = [];
  #size = 0;
  #limit = 4096;
  /** @type {Buffer} */
  #block = Buffer.alloc(0);
  #at = 0;

  /**
   * @param {Buffer} block
   * @returns {Map<string, string>}
   */
  decode(block) {
    this.#block = block;
    this.#at = 0;
    /** @type {Map<string, string>} */
    const headers = new Map();
    while (this.#at < block.length) {
      const first = block.readUInt8(this.#at);
      if (first & 0x80) {
        headers.set(...this.#entry(this.#integer(7)));
      } else if (first & 0x40) {
        const header = this.#literal(6);
        this.#remember(header);
        headers.set(...header);
      } else if (first & 0x20) {
        this.#limit = this.#integer(5);
        this.#evict();
      } else {
        headers.set(...this.#literal(4));
      }
    }
    return headers;
  }

  /** @param {number} prefixBits */
  #integer(prefixBits) {
    const mask = (1 << prefixBits) - 1;
    let value = this.#byte() & mask;
    if (value < mask) return value;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.#byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  #byte() {
    const byte = this.#block[this.#at++];
    if (byte === undefined) throw new Error('a header block ends too early');
    return byte;
  }

  #string() {
    const huffman = (this.#block.readUInt8(this.#at) & 0x80) !== 0;
    const length = this.#integer(7);
    const bytes = this.#block.subarray(this.#at, this.#at + length);
    this.#at += length;
    return huffman ? unhuffman(bytes) : bytes.toString('latin1');
  }

  /**
   * @param {number} prefixBits
   * @returns {[string, string]}
   */
  #literal(prefixBits) {
    const index = this.#integer(prefixBits);
    const name = index === 0 ? this.#string() : this.#entry(index)[0];
    return [name, this.#string()];
  }

  /**
   * @param {number} index
   * @returns {[string, string]}
   */
  #entry(index) {
    const name = STATIC_NAMES[index - 1];
    if (name !== undefined) return [name, STATIC_VALUES[index - 1] ?? ''];
    const entry = this.#table[index - STATIC_NAMES.length - 1];
    if (entry === undefined) throw new Error(`no header has the index ${index}`);
    return entry;
  }

  /** @param {[string, string]} header */
  #remember(header) {
    this.#table.unshift(header);
    this.#size += header[0].length + header[1].length + 32;
    this.#evict();
  }

  #evict() {
    while (this.#size > this.#limit) {
      const [name, value] = this.#table.pop() ?? ['', ''];
      this.#size -= name.length + value.length + 32;
    }
  }
}

/**
 * Headers as literals that the other side need not remember. Names and values stay below 127 bytes.
 * @param {[string, string][]} headers
 */
export function encodeHeaders(headers) {
  return Buffer.concat(
    headers.flatMap(([name, value]) => [
      Buffer.from([0, name.length]),
      Buffer.from(name),
      Buffer.from([value.length]),
      Buffer.from(value),
    ]),
  );
}
