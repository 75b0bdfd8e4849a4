/** A value of a GGUF header. */
export type GgufValue = string | number | boolean | readonly number[];

/** The bytes read so far end inside the header. */
export class NeedsMoreBytes extends Error {}

const listType = 9;
const textType = 8;
/** Lists of numbers up to this length are read: values per layer, not the scores of a vocabulary. */
const longestList = 1024;

const numberSizes: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};

/** A position in the header of a GGUF file. */
export class GgufCursor {
  at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  skip(length: number): void {
    if (length > this.#bytes.length - this.at) throw new NeedsMoreBytes();
    this.at += length;
  }

  uint32(): number {
    this.skip(4);
    return this.#bytes.readUInt32LE(this.at - 4);
  }

  uint64(): number {
    this.skip(8);
    return Number(this.#bytes.readBigUInt64LE(this.at - 8));
  }

  text(): string {
    const length = this.uint64();
    this.skip(length);
    return this.#bytes.toString('utf8', this.at - length, this.at);
  }

  /** Reads a value of this type; undefined if it is skipped, null if the type is unknown. */
  value(type: number): GgufValue | undefined | null {
    if (type === textType) return this.text();
    if (type === listType) return this.#list();
    return numberSizes[type] === undefined ? null : this.#number(type);
  }

  /** The string at an index of the list of strings that starts at this offset. */
  textOfList(at: number, index: number): string | undefined {
    const before = this.at;
    this.at = at;
    try {
      if (this.uint32() !== textType || index >= this.uint64()) return undefined;
      for (let skipped = 0; skipped < index; skipped++) this.skip(this.uint64());
      return this.text();
    } finally {
      this.at = before;
    }
  }

  /** The length of the list that starts at this offset. */
  lengthOfList(at: number): number {
    return Number(this.#bytes.readBigUInt64LE(at + 4));
  }

  #list(): readonly number[] | undefined | null {
    const type = this.uint32();
    const length = this.uint64();
    if (type === textType) {
      for (let skipped = 0; skipped < length; skipped++) this.skip(this.uint64());
      return undefined;
    }
    const size = numberSizes[type];
    if (size === undefined) return null;
    if (length > longestList) {
      this.skip(length * size);
      return undefined;
    }
    return Array.from({ length }, () => Number(this.#number(type)));
  }

  #number(type: number): number | boolean {
    const size = numberSizes[type] as number;
    this.skip(size);
    const at = this.at - size;
    const bytes = this.#bytes;
    switch (type) {
      case 1:
        return bytes.readInt8(at);
      case 2:
        return bytes.readUInt16LE(at);
      case 3:
        return bytes.readInt16LE(at);
      case 4:
        return bytes.readUInt32LE(at);
      case 5:
        return bytes.readInt32LE(at);
      case 6:
        return bytes.readFloatLE(at);
      case 7:
        return bytes[at] !== 0;
      case 10:
        return Number(bytes.readBigUInt64LE(at));
      case 11:
        return Number(bytes.readBigInt64LE(at));
      case 12:
        return bytes.readDoubleLE(at);
      default:
        return bytes.readUInt8(at);
    }
  }
}
