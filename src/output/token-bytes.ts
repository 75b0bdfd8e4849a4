import type { TokenChoice, TokenLogprob } from '../contracts/contract.ts';
import { type TokenTable, tokenKind } from '../tokenizer.ts';
import { tokenBytes, tokenText } from './detokenizer.ts';

const replacement = '\uFFFD';

/**
 * Logprobs whose tokens have the text and the bytes of their ids: a backend that decodes each token by itself writes a
 * part of a character as U+FFFD. A token that the table does not know as the backend does stays as it is.
 */
export function withTokenBytes(table: TokenTable, tokens: readonly TokenLogprob[]): TokenLogprob[] {
  return tokens.map((token) => ({
    ...withBytes(table, token),
    top: token.top.map((alternative) => withBytes(table, alternative)),
  }));
}

function withBytes<Token extends TokenChoice>(table: TokenTable, token: Token): Token {
  const kind = table.kinds[token.id];
  if (kind === undefined || (kind & tokenKind.absent) !== 0) return token;
  const text = tokenText(table, token.id);
  return isSameToken(text, token.text) ? { ...token, text, bytes: tokenBytes(table, token.id) } : token;
}

/** A token that is decoded by itself may lose the space before it, and any number of bytes may be one U+FFFD. */
function isSameToken(own: string, backends: string): boolean {
  if (own === backends) return true;
  if (own.includes(replacement) || backends.includes(replacement))
    return own.includes(replacement) && backends.includes(replacement);
  return own.trimStart() === backends.trimStart();
}
