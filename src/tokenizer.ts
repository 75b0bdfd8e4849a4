import type { Signal } from './signal.ts';
/** What is wanted of a text. */
export interface EncodeOptions {
  /** Aborted when nobody waits for it any more. */
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
  /** Those of the ids that stand for no token. */
  unknownIds(ids: ArrayLike<number>): Promise<number[]>;
  /** How the vocabulary itself writes each id, such as `Ġworld`; empty for one that stands for no token. */
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
  /** One byte that stands for itself, such as `<0x0A>`. */
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
  /** The bytes as they stand inside a text. */
  readonly inside: TokenBytes;
  /** The bytes as the first of a text, where that makes a difference; then no token is a byte or a part. */
  readonly first?: TokenBytes;
  /** A character that is taken away at the very beginning of the text, as often as it stands there but not more. */
  readonly strip?: { readonly character: string; readonly most: number };
}

/** The bytes of all tokens one after the other. */
export interface TokenBytes {
  readonly bytes: Uint8Array;
  /** Where the bytes of each id begin; one entry more than there are ids. */
  readonly offsets: Uint32Array;
}
