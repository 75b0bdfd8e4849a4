import type { PromptLogprob, RankedLogprob, TokenLogprob } from '../contracts/contract.ts';
import type { RankedToken, RankedTokens } from '../contracts/events.ts';
import { tokenBytes, tokenText } from '../output/detokenizer.ts';
import { type TokenTable, tokenKind } from '../tokenizer.ts';

/** The tokens of a prompt, each with at most this number of alternatives. */
export function rankedTokens(table: TokenTable, logprobs: readonly PromptLogprob[], most: number): RankedTokens[] {
  const named = ({ id, logprob, rank }: RankedLogprob): RankedToken => {
    return { id, text: tokenText(table, id), logprob, rank };
  };
  return logprobs.map(({ own, top }) => (own ? [own, ...top.slice(0, most)].map(named) : null));
}

/** The tokens of a prompt as those of a response. The first has no logprob: NaN. */
export function echoedTokens(
  table: TokenTable,
  logprobs: readonly PromptLogprob[],
  { text, most }: { readonly text: string; readonly most: number },
): TokenLogprob[] {
  const named = (id: number, logprob: number) => {
    return { id, logprob, text: tokenText(table, id), bytes: tokenBytes(table, id) };
  };
  let isAtStart = true;
  return logprobs.map(({ id, own, top }) => {
    const token = {
      ...named(id, own?.logprob ?? Number.NaN),
      top: own ? top.slice(0, most).map((other) => named(other.id, other.logprob)) : [],
    };
    if (!isAtStart) return token;
    const start = atStart(token, text, isSpecial(table, id));
    isAtStart = start.bytes.length === 0;
    return start;
  });
}

interface NamedToken extends TokenLogprob {
  readonly bytes: Uint8Array;
}

const nothing = new Uint8Array(0);

/** A token at the start of a text: the tokenizer may have added it, or the space before its first word. */
function atStart(token: NamedToken, text: string, isAdded: boolean): NamedToken {
  if (text.startsWith(token.text)) return token;
  if (isAdded) return { ...token, bytes: nothing };
  const trimmed = token.text.trimStart();
  return text.startsWith(trimmed) ? { ...token, text: trimmed, bytes: Buffer.from(trimmed) } : token;
}

function isSpecial({ kinds }: TokenTable, id: number): boolean {
  return ((kinds[id] ?? tokenKind.absent) & tokenKind.special) !== 0;
}
