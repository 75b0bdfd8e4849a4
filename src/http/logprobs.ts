import { isUtf8 } from 'node:buffer';
import type { TokenChoice, TokenLogprob } from '../contracts/contract.ts';
import type { RankedTokens } from '../contracts/events.ts';

/** The text of a token in a response; its id with `return_tokens_as_token_ids`. */
export type TokenText = (token: TokenChoice) => string;

/** Bytes that are not a whole character are written as OpenAI does it: `\\xe2\\x80`. */
export const plainTokenText: TokenText = (token) => (isPartOfCharacter(token) ? escapedBytes(token.bytes) : token.text);
export const idTokenText: TokenText = (token) => `token_id:${token.id}`;

/** The token texts that a request selects. */
export function tokenTextOf({ namesTokenIds }: { readonly namesTokenIds: boolean }): TokenText {
  return namesTokenIds ? idTokenText : plainTokenText;
}

const replacement = '\uFFFD';

function isPartOfCharacter(token: TokenChoice): token is TokenChoice & { readonly bytes: Uint8Array } {
  return token.bytes !== undefined && token.text.includes(replacement) && !isUtf8(token.bytes);
}

/** Whole characters as they are, every other byte as an escape. */
function escapedBytes(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    text += length === 0 ? `\\x${bytes[at]?.toString(16).padStart(2, '0')}` : utf8(bytes.subarray(at, at + length));
    at += Math.max(length, 1);
  }
  return text;
}

/** The number of bytes of the character that starts here; 0 if none does. */
function characterLength(bytes: Uint8Array, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++)
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  return 0;
}

function utf8({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}

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
 * A token that is a part of a character reads as U+FFFD. If the backend returned only its text, its bytes are unknown;
 * OpenAI writes null for that.
 */
function chatLogprob(token: TokenChoice, text: TokenText): ChatLogprob {
  const known = token.bytes ?? (token.text.includes(replacement) ? undefined : Buffer.from(token.text));
  const bytes = known ? [...known] : null;
  return { token: text(token), logprob: token.logprob, bytes };
}

/** An entry of vLLM's `prompt_logprobs`: the tokens by their ids. */
export function promptLogprob(tokens: RankedTokens): Readonly<Record<string, object>> | null {
  if (!tokens) return null;
  return Object.fromEntries(tokens.map(({ id, logprob, rank, text }) => [id, { logprob, rank, decoded_token: text }]));
}

interface CompletionLogprobs {
  readonly tokens: string[];
  /** Null for the first token of an echoed prompt, which has none. */
  readonly token_logprobs: (number | null)[];
  readonly top_logprobs: (Record<string, number> | null)[];
  readonly text_offset: number[];
}

/**
 * Builds the `logprobs` member of completions. Offsets count characters and run on from chunk to chunk; a token inside a
 * character has the offset of that character.
 */
export class CompletionLogprobsBuilder {
  readonly #text: TokenText;
  readonly #characters = new TextDecoder('utf-8', { ignoreBOM: true });
  #offset = 0;

  constructor(text: TokenText) {
    this.#text = text;
  }

  build(tokens: readonly TokenLogprob[]): CompletionLogprobs {
    const built: CompletionLogprobs = { tokens: [], token_logprobs: [], top_logprobs: [], text_offset: [] };
    for (const token of tokens) {
      const text = this.#nameOf(token);
      built.tokens.push(text);
      const hasLogprob = !Number.isNaN(token.logprob);
      built.token_logprobs.push(hasLogprob ? token.logprob : null);
      const top = token.top.map((alternative) => [this.#nameOf(alternative), alternative.logprob] as const);
      built.top_logprobs.push(hasLogprob ? { ...Object.fromEntries(top), [text]: token.logprob } : null);
      built.text_offset.push(this.#offset);
      this.#offset += Array.from(this.#completedBy(token)).length;
    }
    return built;
  }

  /** Completions mark a part of a character with a prefix, unlike chats. */
  #nameOf(token: TokenChoice): string {
    const text = this.#text(token);
    return this.#text === plainTokenText && isPartOfCharacter(token) ? `bytes:${text}` : text;
  }

  /** The characters that this token completes. */
  #completedBy({ bytes, text }: TokenChoice): string {
    return bytes ? this.#characters.decode(bytes, { stream: true }) : this.#characters.decode() + text;
  }
}
