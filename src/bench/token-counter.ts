import type { Caller } from './target.ts';

/** Counts the tokens of a text. */
export interface TokenCounter {
  /** Who counts, for people. */
  readonly source: string;
  /** Rejects with a CountError where it can count no longer. */
  count(text: string): Promise<number>;
}

/** A counter that counts no longer, in words for people. */
export class CountError extends Error {}

/** A server that counts by itself, as vLLM and Conch do at POST /tokenize; undefined where it does not. */
export async function serverCounter(call: Caller, model: string): Promise<TokenCounter | undefined> {
  const ask = async (text: string): Promise<number> => {
    const { status, body } = await call('/tokenize', { model, prompt: text, add_special_tokens: false }).catch(
      (error: NodeJS.ErrnoException) => {
        throw new CountError(`/tokenize of the server failed (${error.code ?? error.message})`);
      },
    );
    const found = (body as { readonly count?: unknown } | undefined)?.count;
    if (status === 200 && typeof found === 'number') return found;
    throw new CountError(`/tokenize of the server counted one text and refused another (HTTP ${status})`);
  };
  const isThere = await ask('the').then(
    () => true,
    () => false,
  );
  return isThere ? { source: "the server's own tokenizer (/tokenize)", count: ask } : undefined;
}
