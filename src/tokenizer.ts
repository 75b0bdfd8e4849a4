/** A model's tokenizer, wherever it runs: in a thread of its own, or lent by the engine that is fed through it. */
export interface Tokenizer {
  /** Where it was found, for people. */
  readonly source: string;
  /** The text of the BOS token where `addSpecialTokens` puts one in front. */
  readonly ownBos: string | undefined;
  readonly vocabularySize: number;
  encode(text: string, options: { addSpecialTokens: boolean }): Promise<Int32Array>;
  count(text: string, options: { addSpecialTokens: boolean }): Promise<number>;
  decode(ids: ArrayLike<number>, options: { skipSpecialTokens: boolean }): Promise<string>;
  /** Those of the ids that stand for no token. */
  unknownIds(ids: ArrayLike<number>): Promise<number[]>;
}
