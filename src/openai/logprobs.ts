import type { TokenChoice, TokenLogprob } from '../contracts/contract.ts';

/** How token texts appear in an answer; as ids when the request asked for `return_tokens_as_token_ids`. */
export type TokenText = (token: TokenChoice) => string;

export const plainTokenText: TokenText = (token) => token.text;
export const idTokenText: TokenText = (token) => `token_id:${token.id}`;

const replacement = '\uFFFD';

interface ChatLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[] | null;
}

/** The `logprobs` member of a chat choice or delta. */
export function chatLogprobs(tokens: readonly TokenLogprob[], text: TokenText) {
  return {
    content: tokens.map((token) => ({
      ...chatLogprob(token, text),
      top_logprobs: token.top.map((alternative) => chatLogprob(alternative, text)),
    })),
    refusal: null,
  };
}

/**
 * A token that is a part of a character reads as U+FFFD: where the backend gave its text alone, its bytes are unknown,
 * which OpenAI writes as null.
 */
function chatLogprob(token: TokenChoice, text: TokenText): ChatLogprob {
  const known = token.bytes ?? (token.text.includes(replacement) ? undefined : Buffer.from(token.text));
  const bytes = known ? [...known] : null;
  return { token: text(token), logprob: token.logprob, bytes };
}

interface CompletionLogprobs {
  readonly tokens: string[];
  readonly token_logprobs: number[];
  readonly top_logprobs: Record<string, number>[];
  readonly text_offset: number[];
}

/** Builds the `logprobs` member of completions; offsets count characters and run on from chunk to chunk. */
export class CompletionLogprobsBuilder {
  readonly #text: TokenText;
  #offset = 0;

  constructor(text: TokenText) {
    this.#text = text;
  }

  build(tokens: readonly TokenLogprob[]): CompletionLogprobs {
    const built: CompletionLogprobs = { tokens: [], token_logprobs: [], top_logprobs: [], text_offset: [] };
    for (const token of tokens) {
      const text = this.#text(token);
      built.tokens.push(text);
      built.token_logprobs.push(token.logprob);
      const top = token.top.map((alternative) => [this.#text(alternative), alternative.logprob] as const);
      built.top_logprobs.push({ ...Object.fromEntries(top), [text]: token.logprob });
      built.text_offset.push(this.#offset);
      this.#offset += Array.from(token.text).length;
    }
    return built;
  }
}
