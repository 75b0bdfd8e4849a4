import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ModelBinding } from './engine-types.ts';

/** Attributes of a token, as llama.cpp numbers them. */
const unknownAttribute = 1;
const controlAttribute = 8;
const userDefinedAttribute = 16;
const byteAttribute = 32;

/** How many characters are tokenized at once, which blocks the event loop for some milliseconds. */
const pieceLength = 8192;

const noBytes = Buffer.alloc(0);

/** A model's tokens: text to ids, ids to bytes. */
export class Vocabulary {
  readonly size: number;
  readonly #model: ModelBinding;
  readonly #kind: string;
  readonly #bytes: (Buffer | undefined)[];
  readonly #isControl: (boolean | undefined)[];
  #ends: ReadonlySet<number> | undefined;

  /** `kind` is the tokenizer.ggml.model of the file. */
  constructor(model: ModelBinding, { size, kind }: { readonly size: number; readonly kind: string }) {
    this.#model = model;
    this.size = size;
    this.#kind = kind;
    this.#bytes = Array.from({ length: size });
    this.#isControl = Array.from({ length: size });
  }

  /** Every token that ends a generation. */
  get ends(): ReadonlySet<number> {
    this.#ends ??= new Set(Array.from({ length: this.size }, (_, id) => id).filter((id) => this.#model.isEogToken(id)));
    return this.#ends;
  }

  /** The BOS token, if this model needs one before a text. */
  get bos(): number | undefined {
    return this.#model.shouldPrependBosToken() ? this.#model.tokenBos() : undefined;
  }

  /** The token that this model needs after a text: EOS, or SEP for BERT models. */
  get closing(): number | undefined {
    if (this.#kind === 'bert') return this.#model.sepToken();
    return this.#model.shouldAppendEosToken() ? this.#model.tokenEos() : undefined;
  }

  /** The ids of a text. Texts of special tokens become those tokens. Stops early after more than `enough` ids. */
  async encode(
    text: string,
    {
      addSpecialTokens,
      enough = Number.POSITIVE_INFINITY,
    }: { readonly addSpecialTokens: boolean; readonly enough?: number },
  ): Promise<number[]> {
    const ids: number[] = [];
    if (addSpecialTokens && this.bos !== undefined) ids.push(this.bos);
    const pieces = this.#kind === 'gpt2' ? cutBetweenWords(text, pieceLength) : [text];
    for (const [index, piece] of pieces.entries()) {
      if (ids.length > enough) return ids;
      if (index > 0) await nextTurn();
      for (const id of this.#model.tokenize(piece, true)) ids.push(id);
    }
    if (addSpecialTokens && this.closing !== undefined) ids.push(this.closing);
    return ids;
  }

  /** Whether an id is a control token such as EOS, which is not part of the text. */
  isControl(id: number): boolean {
    let isControl = this.#isControl[id];
    if (isControl === undefined) {
      isControl = (this.#model.getTokenAttributes(id) & (controlAttribute | unknownAttribute)) !== 0;
      this.#isControl[id] = isControl;
    }
    return isControl;
  }

  /** The bytes of a token in the middle of a text; several tokens can share a character. */
  bytes(id: number): Buffer {
    let bytes = this.#bytes[id];
    if (bytes === undefined) {
      bytes = id >= 0 && id < this.size ? this.#lookUp(id) : noBytes;
      this.#bytes[id] = bytes;
    }
    return bytes;
  }

  /** The text of one token; U+FFFD for a part of a character. */
  text(id: number): string {
    return this.bytes(id).toString('utf8');
  }

  /** One token as the vocabulary spells it. */
  spelling(id: number): string {
    return this.#model.getTokenString(id);
  }

  #lookUp(id: number): Buffer {
    const text = this.#model.getTokenString(id);
    const attributes = this.#model.getTokenAttributes(id);
    if ((attributes & byteAttribute) !== 0) {
      const hex = /^<0x([0-9A-F]{2})>$/i.exec(text)?.[1];
      if (hex !== undefined) return Buffer.from(hex, 'hex');
    }
    if ((attributes & userDefinedAttribute) !== 0 || this.isControl(id)) return Buffer.from(text);
    if (this.#kind === 'gpt2') return bytesOfCharacters(text);
    if (this.#kind === 'llama' || this.#kind === 't5' || this.#kind === 'plamo2')
      return Buffer.from(text.replaceAll('\u2581', ' '));
    return Buffer.from(this.#model.detokenize(Uint32Array.of(id), true));
  }
}

/** Turns the ids of one generation into text as they arrive. An incomplete character waits for its other bytes. */
export class Detokenizer {
  readonly #vocabulary: Vocabulary;
  readonly #skipsControl: boolean;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(vocabulary: Vocabulary, { skipSpecialTokens }: { readonly skipSpecialTokens: boolean }) {
    this.#vocabulary = vocabulary;
    this.#skipsControl = skipSpecialTokens;
  }

  /** The text that is complete with this token. */
  push(id: number): string {
    if (this.#skipsControl && this.#vocabulary.isControl(id)) return '';
    return this.#decoder.decode(this.#vocabulary.bytes(id), { stream: true });
  }

  /** The rest: an incomplete character. */
  flush(): string {
    return this.#decoder.decode();
  }
}

/**
 * Cuts a text into pieces that tokenize like the whole: every byte-level tokenizer starts a new word at a single space
 * between two letters, and no merge crosses it.
 */
export function cutBetweenWords(text: string, length: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > length) {
    boundary.lastIndex = from + length;
    const match = boundary.exec(text);
    if (!match) break;
    pieces.push(text.slice(from, match.index + 1));
    from = match.index + 1;
  }
  pieces.push(text.slice(from));
  return pieces;
}

const boundary = /[a-z] (?=[a-z])/g;

/** The characters that represent bytes in vocabularies like GPT-2's. */
const byteOfCharacter = (() => {
  const table = new Map<number, number>();
  let next = 256;
  for (let byte = 0; byte < 256; byte++) {
    const isPrintable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    table.set(isPrintable ? byte : next++, byte);
  }
  return table;
})();

function bytesOfCharacters(text: string): Buffer {
  const bytes: number[] = [];
  for (const character of text) {
    const byte = byteOfCharacter.get(character.codePointAt(0) as number);
    // The vocabulary has the plain text of a token that was added later.
    if (byte === undefined) return Buffer.from(text);
    bytes.push(byte);
  }
  return Buffer.from(bytes);
}
