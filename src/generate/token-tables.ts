import type { Tokenizer, TokenTable } from '../tokenizer.ts';
import type { MaybePromise } from './maybe-promise.ts';

const known = new WeakMap<Tokenizer, TokenTable>();

/** The bytes of a tokenizer's tokens: at once if they are loaded. Undefined if it has no table. */
export function tokenTable(tokenizer: Tokenizer | undefined): MaybePromise<TokenTable | undefined> {
  if (!tokenizer?.table) return undefined;
  return known.get(tokenizer) ?? load(tokenizer);
}

async function load(tokenizer: Tokenizer): Promise<TokenTable | undefined> {
  const table = await tokenizer.table?.();
  if (table) known.set(tokenizer, table);
  return table;
}
