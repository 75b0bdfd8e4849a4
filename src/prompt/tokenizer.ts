import { messageOf } from '../thrown.ts';
import type { Tokenizer, TokenTable } from '../tokenizer.ts';
import { AssetError } from './asset-error.ts';
import { promptThread } from './prompt-thread.ts';
import { tokenUse } from './token-use.ts';
import type { TokenizerFile } from './worker-messages.ts';

interface LoadOptions {
  /** The tokenizer.json. */
  readonly file: string;
  readonly source?: string;
  /** Whether the server's tokenizer adds this BOS, where that is known better than the file says. */
  readonly bos?: TokenizerFile['bos'];
  /** Bytes for the tokens of earlier texts, of all models together. Left out, none are stored. */
  readonly cacheSize?: (() => number) | undefined;
}

/** Loads a tokenizer.json in the prompt thread. Rejects when it is none. */
export async function loadTokenizer({ file, source = file, bos, cacheSize }: LoadOptions): Promise<Tokenizer> {
  const tokenizer: TokenizerFile = { file, bos };
  const { ownBos, vocabularySize } = await promptThread.ask<'load'>({ kind: 'load', tokenizer });
  const taskOf = (text: string, addSpecialTokens: boolean) => {
    return { tokenizer, text, addSpecialTokens, cacheSize: cacheSize?.() };
  };
  let table: Promise<TokenTable> | undefined;
  return {
    source,
    ownBos,
    vocabularySize,
    encode: async (text, { addSpecialTokens }) => {
      const task = { kind: 'encode', ...taskOf(text, addSpecialTokens) } as const;
      const { ids, reused } = await promptThread.ask<'encode'>(task);
      countTokens(ids.length, reused);
      return ids;
    },
    encodePair: (first, second, { mostOfSecond }) =>
      promptThread.ask<'encode-pair'>({ kind: 'encode-pair', tokenizer, first, second, mostOfSecond }),
    count: async (text, { addSpecialTokens }) => {
      const task = { kind: 'count', ...taskOf(text, addSpecialTokens) } as const;
      const { count, reused } = await promptThread.ask<'count'>(task);
      countTokens(count, reused);
      return count;
    },
    decode: (ids, { skipSpecialTokens }) =>
      promptThread.ask<'decode'>({ kind: 'decode', tokenizer, ids: Int32Array.from(ids), skipSpecialTokens }),
    // As they are: an id beyond 32 bits must not become another one.
    unknownIds: (ids) =>
      promptThread.ask<'unknown-ids'>({ kind: 'unknown-ids', tokenizer, ids: Float64Array.from(ids) }),
    spellings: (ids) => promptThread.ask<'spellings'>({ kind: 'spellings', tokenizer, ids: Int32Array.from(ids) }),
    table: () => {
      table ??= promptThread.ask<'table'>({ kind: 'table', tokenizer }).catch((error: unknown) => {
        table = undefined;
        throw new AssetError(`${file} cannot turn token ids into text: ${messageOf(error)}`, { cause: error });
      });
      return table;
    },
  };
}

function countTokens(all: number, reused: number): void {
  tokenUse.cached += reused;
  tokenUse.encoded += all - reused;
}
