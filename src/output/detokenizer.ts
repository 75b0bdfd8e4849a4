import { type TokenBytes, type TokenTable, tokenKind } from '../tokenizer.ts';

const replacement = '\uFFFD';
const nothing = Buffer.alloc(0);

interface DetokenizerOptions {
  readonly skipSpecialTokens: boolean;
  /** Whether the tokens continue a text: then nothing is stripped from their beginning. */
  readonly continuesText?: boolean;
}

/**
 * Turns token ids into text as they come. What it has returned is always the beginning of what the whole decodes to, and
 * only what the next token could still change is held back. It runs for every token of every stream, so most
 * tokens cost one lookup in a list of texts that all streams of a model share.
 */
export class Detokenizer {
  readonly #texts: TokenTexts;
  readonly #table: TokenTable;
  /** The kinds that give no text. */
  readonly #skipped: number;
  readonly #progress = new Utf8Progress();
  #isFirst: boolean;
  #toStrip: number;
  /**
   * What is open: a `part` of a character; a `run` of byte tokens, whose bytes are all replaced if they turn out not
   * to be UTF-8; or a run of which that is `broken` already.
   */
  #open: 'nothing' | 'part' | 'run' | 'broken' = 'nothing';
  #held = nothing;
  #length = 0;

  constructor(table: TokenTable, { skipSpecialTokens, continuesText = false }: DetokenizerOptions) {
    this.#table = table;
    this.#texts = textsOf(table);
    this.#skipped = tokenKind.absent | (skipSpecialTokens ? tokenKind.special : 0);
    this.#isFirst = table.first !== undefined && !continuesText;
    this.#toStrip = continuesText ? 0 : (table.strip?.most ?? 0);
  }

  /** The text that is certain with this token; empty for an unknown id. */
  push(id: number): string {
    const kind = this.#table.kinds[id];
    if (kind === undefined || (kind & this.#skipped) !== 0) return '';
    let text: string;
    if ((kind & tokenKind.part) !== 0) text = this.#pushPart(id);
    else if ((kind & tokenKind.byte) !== 0) text = this.#pushByte(id);
    else text = this.#open === 'nothing' ? this.#textOf(id) : this.#close() + this.#textOf(id);
    return this.#toStrip === 0 ? text : this.#stripped(text);
  }

  /** What was held back when no more tokens come. */
  flush(): string {
    const text = this.#close();
    return this.#toStrip === 0 ? text : this.#stripped(text);
  }

  #textOf(id: number): string {
    if (!this.#isFirst) return this.#texts.at(id);
    this.#isFirst = false;
    const { bytes, offsets } = this.#table.first as TokenBytes;
    return bufferOf(bytes).toString('utf8', offsets[id], offsets[id + 1]);
  }

  #pushPart(id: number): string {
    this.#hold(id);
    const whole = this.#length - this.#progress.pending;
    const text = whole === 0 ? '' : this.#held.toString('utf8', 0, whole);
    this.#held.copyWithin(0, whole, this.#length);
    this.#length -= whole;
    this.#open = this.#length === 0 ? 'nothing' : 'part';
    return text;
  }

  #pushByte(id: number): string {
    if (this.#open === 'broken') return replacement;
    const isUtf8 = this.#hold(id);
    this.#open = isUtf8 ? 'run' : 'broken';
    return isUtf8 ? '' : replacement.repeat(this.#release());
  }

  /** Puts the bytes of a token behind those that are held. False when they are not UTF-8, nor its beginning. */
  #hold(id: number): boolean {
    const { bytes, offsets } = this.#table.inside;
    const start = offsets[id] as number;
    const end = offsets[id + 1] as number;
    const needed = this.#length + end - start;
    if (needed > this.#held.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(32, 2 * needed));
      larger.set(this.#held.subarray(0, this.#length));
      this.#held = larger;
    }
    let isUtf8 = true;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number;
      this.#held[this.#length++] = byte;
      if (this.#progress.take(byte)) continue;
      isUtf8 = false;
      // What stopped a character may begin the next one.
      this.#progress.take(byte);
    }
    return isUtf8;
  }

  /** Ends what is open, and gives its text. */
  #close(): string {
    const open = this.#open;
    this.#open = 'nothing';
    const isCut = this.#progress.pending > 0;
    const length = this.#release();
    if (open === 'part') return replacement;
    return isCut ? replacement.repeat(length) : this.#held.toString('utf8', 0, length);
  }

  /** Forgets the bytes that are held, and says how many they were. */
  #release(): number {
    const length = this.#length;
    this.#length = 0;
    this.#progress.pending = 0;
    return length;
  }

  /** Takes away what the decoder strips from the beginning of the whole text. */
  #stripped(text: string): string {
    const character = this.#table.strip?.character ?? '';
    let at = 0;
    for (; this.#toStrip > 0 && text.startsWith(character, at); this.#toStrip--) at += character.length;
    if (at < text.length) this.#toStrip = 0;
    return text.slice(at);
  }
}

/** The bytes of a token inside a text: a view into the table. Empty for an unknown id. */
export function tokenBytes({ inside: { bytes, offsets } }: TokenTable, id: number): Uint8Array {
  return bytes.subarray(offsets[id] ?? 0, offsets[id + 1] ?? 0);
}

/** The text of a single token as inside a text: with its space; bytes that are no UTF-8 are U+FFFD. */
export function tokenText(table: TokenTable, id: number): string {
  return table.kinds[id] === undefined ? '' : textsOf(table).at(id);
}

/** The texts of one table, each made at its first use. */
class TokenTexts {
  readonly #bytes: Buffer;
  readonly #offsets: Uint32Array;
  readonly #texts: (string | undefined)[];

  constructor({ inside }: TokenTable) {
    this.#bytes = bufferOf(inside.bytes);
    this.#offsets = inside.offsets;
    this.#texts = Array.from({ length: inside.offsets.length - 1 });
  }

  at(id: number): string {
    const known = this.#texts[id];
    if (known !== undefined) return known;
    const text = this.#bytes.toString('utf8', this.#offsets[id], this.#offsets[id + 1]);
    this.#texts[id] = text;
    return text;
  }
}

const textsOfTables = new WeakMap<TokenTable, TokenTexts>();

function textsOf(table: TokenTable): TokenTexts {
  let texts = textsOfTables.get(table);
  if (texts === undefined) {
    texts = new TokenTexts(table);
    textsOfTables.set(table, texts);
  }
  return texts;
}

/** The same memory with the methods of a Buffer. */
function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/**
 * Follows UTF-8 byte by byte, and knows how much of a character has come. What it takes for the beginning of a
 * character is what decoders replace by a single U+FFFD when the rest does not follow.
 */
class Utf8Progress {
  /** Bytes of a character that is not complete yet. */
  pending = 0;
  #missing = 0;
  #lowest = 0x80;
  #highest = 0xbf;

  /** False when the byte cannot follow those before; it is not counted then, and the open character is dropped. */
  take(byte: number): boolean {
    if (this.pending === 0) return this.#start(byte);
    if (byte < this.#lowest || byte > this.#highest) {
      this.pending = 0;
      return false;
    }
    this.#lowest = 0x80;
    this.#highest = 0xbf;
    this.#missing -= 1;
    this.pending = this.#missing === 0 ? 0 : this.pending + 1;
    return true;
  }

  #start(byte: number): boolean {
    if (byte < 0x80) return true;
    if (byte < 0xc2 || byte > 0xf4) return false;
    this.pending = 1;
    this.#missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    // Overlong encodings, surrogates and what lies beyond U+10FFFF are known by their second byte.
    this.#lowest = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
    this.#highest = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
    return true;
  }
}
