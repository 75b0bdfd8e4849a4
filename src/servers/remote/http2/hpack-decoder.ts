import { ProtocolError } from './frames.ts';
import { unhuffman } from './huffman.ts';
import { staticTable } from './static-table.ts';

export type Http2Headers = Readonly<Record<string, string>>;

/** The size of a table entry in addition to its characters (RFC 7541, 4.1). */
const entryOverhead = 32;

interface Limits {
  /** The table size in bytes that Conch allows the server. */
  readonly tableSize: number;
  /** The decoded size of one block in bytes, because a small block can decode to a large one. */
  readonly listSize: number;
}

/** Decodes the headers of one connection. Blocks can add to the table for later blocks (RFC 7541). */
export class HpackDecoder {
  readonly #limits: Limits;
  /** The newest entry first. */
  readonly #table: (readonly [name: string, value: string])[] = [];
  #tableSize = 0;
  #largestTable: number;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#largestTable = limits.tableSize;
  }

  /** The headers of a block. Values of a repeated name are joined. Throws on an invalid block. */
  decode(block: Buffer): Http2Headers {
    this.#bytes = block;
    this.#at = 0;
    const headers: Record<string, string> = Object.create(null) as Record<string, string>;
    let size = 0;
    let hasHeaders = false;
    while (this.#at < block.length) {
      const first = block[this.#at] as number;
      if ((first & 0xe0) === 0x20) {
        if (hasHeaders) throw decodeError('a table size update after headers');
        this.#resize(this.#integer(5));
        continue;
      }
      const [name, value] = first & 0x80 ? this.#entry(this.#integer(7)) : this.#literal(first);
      hasHeaders = true;
      size += name.length + value.length + entryOverhead;
      if (size > this.#limits.listSize) throw decodeError(`more than ${this.#limits.listSize} bytes of headers`);
      const before = headers[name];
      headers[name] = before === undefined ? value : `${before}, ${value}`;
    }
    return headers;
  }

  #literal(first: number): readonly [string, string] {
    const isIndexed = (first & 0x40) !== 0;
    const number = this.#integer(isIndexed ? 6 : 4);
    const name = number === 0 ? this.#text() : this.#entry(number)[0];
    const entry = [name, this.#text()] as const;
    if (isIndexed) this.#addEntry(entry);
    return entry;
  }

  #entry(number: number): readonly [string, string] {
    const entry = number <= staticTable.length ? staticTable[number - 1] : this.#table[number - staticTable.length - 1];
    if (!entry) throw decodeError(`the table has no entry ${number}`);
    return entry;
  }

  #addEntry(entry: readonly [string, string]): void {
    this.#table.unshift(entry);
    this.#tableSize += sizeOf(entry);
    this.#shrink();
  }

  #resize(size: number): void {
    if (size > this.#limits.tableSize) throw decodeError('the table is larger than allowed');
    this.#largestTable = size;
    this.#shrink();
  }

  #shrink(): void {
    while (this.#tableSize > this.#largestTable) this.#tableSize -= sizeOf(this.#table.pop() as [string, string]);
  }

  /** An integer with a prefix of this many bits in the first byte (RFC 7541, 5.1). */
  #integer(prefix: number): number {
    const most = 2 ** prefix - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let shift = 0; ; shift += 7) {
      if (shift > 21) throw decodeError('a number is too large');
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  #text(): string {
    const isHuffman = ((this.#bytes[this.#at] ?? 0) & 0x80) !== 0;
    const length = this.#integer(7);
    const from = this.#at;
    const to = from + length;
    if (to > this.#bytes.length) throw decodeError('a string exceeds the block');
    this.#at = to;
    const text = isHuffman ? unhuffman(this.#bytes, from, to) : this.#bytes.toString('latin1', from, to);
    if (text === undefined) throw decodeError('invalid Huffman code');
    return text;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw decodeError('the block ends inside a header');
    return byte;
  }
}

function sizeOf([name, value]: readonly [string, string]): number {
  return name.length + value.length + entryOverhead;
}

function decodeError(what: string): ProtocolError {
  return new ProtocolError('COMPRESSION_ERROR', `The headers of the server cannot be decoded: ${what}.`);
}
