import type { Caller } from './target.ts';

/** Counts the tokens of a text. */
export interface TokenCounter {
  /** The name of the counter in reports. */
  readonly source: string;
  /** Rejects with a CountError if it fails. */
  count(text: string): Promise<number>;
}

/** A counter failed; the message is for users. */
export class CountError extends Error {}

/** A counter that uses POST /tokenize of the server, as of vLLM and Conch; undefined if the server has none. */
export async function serverCounter(call: Caller, model: string): Promise<TokenCounter | undefined> {
  const ask = async (text: string): Promise<number> => {
    const { status, body } = await call('/tokenize', { model, prompt: text, add_special_tokens: false }).catch(
      (error: NodeJS.ErrnoException) => {
        throw new CountError(`/tokenize failed (${error.code ?? error.message})`);
      },
    );
    const found = (body as { readonly count?: unknown } | undefined)?.count;
    if (status === 200 && typeof found === 'number') return found;
    throw new CountError(`/tokenize accepted one text and rejected another (HTTP ${status})`);
  };
  const isThere = await ask('the').then(
    () => true,
    () => false,
  );
  return isThere ? { source: "the server's own tokenizer (/tokenize)", count: ask } : undefined;
}
