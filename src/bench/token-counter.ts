import type { Caller } from './target.ts';

/** Counts the tokens of a text. */
export interface TokenCounter {
  /** Who counts, for people. */
  readonly source: string;
  count(text: string): Promise<number>;
}

/** Counts each text once, however often it comes. */
export function remembered(counter: TokenCounter): TokenCounter {
  const known = new Map<string, Promise<number>>();
  return {
    source: counter.source,
    count: (text) => {
      const found = known.get(text) ?? counter.count(text);
      known.set(text, found);
      return found;
    },
  };
}

/** A server that counts by itself, as vLLM and Conch do at POST /tokenize; undefined where it does not. */
export async function serverCounter(call: Caller, model: string): Promise<TokenCounter | undefined> {
  const ask = async (text: string): Promise<number | undefined> => {
    const { status, body } = await call('/tokenize', { model, prompt: text, add_special_tokens: false });
    const found = (body as { readonly count?: unknown } | undefined)?.count;
    return status === 200 && typeof found === 'number' ? found : undefined;
  };
  if ((await ask('the').catch(() => undefined)) === undefined) return undefined;
  return {
    source: "the server's own tokenizer (/tokenize)",
    count: async (text) => {
      const found = await ask(text);
      if (found === undefined) throw new Error('/tokenize of the server counted one text and refused another.');
      return found;
    },
  };
}
