import { promptThread } from './prompt-thread.ts';
import type { TokenizerFile } from './worker-messages.ts';

/** A model's tokenizer. Nothing that it does holds the event loop. */
export interface Tokenizer {
  /** Where it was found, for people. */
  readonly source: string;
  /** The text of the BOS token where `addSpecialTokens` puts one in front; learnt by encoding. */
  readonly ownBos: string | undefined;
  readonly vocabularySize: number;
  encode(text: string, options: { addSpecialTokens: boolean }): Promise<Int32Array>;
  count(text: string, options: { addSpecialTokens: boolean }): Promise<number>;
  decode(ids: ArrayLike<number>, options: { skipSpecialTokens: boolean }): Promise<string>;
  /** Those of the ids that stand for no token. */
  unknownIds(ids: ArrayLike<number>): Promise<number[]>;
}

interface LoadOptions {
  /** The tokenizer.json. */
  readonly file: string;
  readonly source?: string;
  /** Whether the server's tokenizer adds this BOS, where that is known better than the file says. */
  readonly bos?: TokenizerFile['bos'];
}

/** Loads a tokenizer.json in the prompt thread. Rejects when it is none. */
export async function loadTokenizer({ file, source = file, bos }: LoadOptions): Promise<Tokenizer> {
  const tokenizer: TokenizerFile = { file, bos };
  const { ownBos, vocabularySize } = await promptThread.ask<'load'>({ kind: 'load', tokenizer });
  return {
    source,
    ownBos,
    vocabularySize,
    encode: (text, { addSpecialTokens }) =>
      promptThread.ask<'encode'>({ kind: 'encode', tokenizer, text, addSpecialTokens }),
    count: (text, { addSpecialTokens }) =>
      promptThread.ask<'count'>({ kind: 'count', tokenizer, text, addSpecialTokens }),
    decode: (ids, { skipSpecialTokens }) =>
      promptThread.ask<'decode'>({ kind: 'decode', tokenizer, ids: Int32Array.from(ids), skipSpecialTokens }),
    unknownIds: (ids) => promptThread.ask<'unknown-ids'>({ kind: 'unknown-ids', tokenizer, ids: Int32Array.from(ids) }),
  };
}
