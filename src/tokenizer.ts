import type { Signal } from './signal.ts';
/** Options of encoding a text. */
export interface EncodeOptions {
  /** Aborted when the result is no longer needed. */
  readonly signal?: Signal | undefined;
}

/** A model's tokenizer, wherever it runs: in a thread of its own, or lent by the engine that is fed through it. */
export interface Tokenizer {
  /** Where it was found, for people. */
  readonly source: string;
  /** The text of the BOS token where `addSpecialTokens` puts one in front. */
  readonly ownBos: string | undefined;
  readonly vocabularySize: number;
  encode(text: string, options: EncodeOptions & { readonly addSpecialTokens: boolean }): Promise<Int32Array>;
  /** A pair of texts as one row of tokens, as its template joins them; the second is cut after so many tokens. */
  encodePair?(
    first: string,
    second: string,
    options: EncodeOptions & { readonly mostOfSecond?: number | undefined },
  ): Promise<TokenPair>;
  count(text: string, options: EncodeOptions & { readonly addSpecialTokens: boolean }): Promise<number>;
  decode(ids: ArrayLike<number>, options: { skipSpecialTokens: boolean }): Promise<string>;
  /** The ids that are not in the vocabulary. */
  unknownIds(ids: ArrayLike<number>): Promise<number[]>;
  /** The entry of each id in the vocabulary, for example `Ġworld`; empty for an unknown id. */
  spellings(ids: ArrayLike<number>): Promise<string[]>;
  /** The bytes of every token, made once: an engine that detokenizes by itself has none. */
  table?(): Promise<TokenTable>;
}

/** Two texts in one row of tokens. */
export interface TokenPair {
  readonly ids: Int32Array;
  /** Which of the two each token belongs to. */
  readonly types: Int32Array;
}

/** Bits that say what an id is; 0 is a token whose bytes are whole characters. */
export const tokenKind = {
  /** No token has this id. */
  absent: 1,
  special: 2,
  /** A single byte, for example `<0x0A>`. */
  byte: 4,
  /** Bytes of byte-level BPE that are not whole characters: their neighbours may complete them. */
  part: 8,
} as const;

/**
 * What each token of a vocabulary adds to a text: plain data, so that a thread can make it and give it away. It says
 * what the native `tokenizers` package gives for a whole text, so that a text can be put together token by token.
 */
export interface TokenTable {
  /** By id, of `tokenKind`. */
  readonly kinds: Uint8Array;
  /** The bytes inside a text. */
  readonly inside: TokenBytes;
  /** The bytes as the first of a text, where that makes a difference; then no token is a byte or a part. */
  readonly first?: TokenBytes;
  /** A character that is removed from the start of the text, at most so many times. */
  readonly strip?: { readonly character: string; readonly most: number };
}

/** The bytes of all tokens one after the other. */
export interface TokenBytes {
  readonly bytes: Uint8Array;
  /** Where the bytes of each id begin; one entry more than there are ids. */
  readonly offsets: Uint32Array;
}
