import { ApiError } from '../errors.ts';
import type { Tokenizer } from '../tokenizer.ts';

/** A prompt without the BOS that a template wrote, where the server's tokenizer puts its own in front. */
export function withoutDoubledBos(text: string, tokenizer: Tokenizer): string {
  const { ownBos } = tokenizer;
  return ownBos !== undefined && text.startsWith(ownBos) ? text.slice(ownBos.length) : text;
}

/**
 * The text that gives exactly these ids when the server tokenizes it, with its special tokens or without.
 * Throws where no text is known to.
 */
export async function textOfIds(
  tokenizer: Tokenizer,
  ids: ArrayLike<number>,
  addSpecialTokens = true,
): Promise<string> {
  await refuseUnknownIds(tokenizer, ids);
  const decoded = await tokenizer.decode(ids, { skipSpecialTokens: false });
  const text = addSpecialTokens ? withoutDoubledBos(decoded, tokenizer) : decoded;
  const encoded = await tokenizer.encode(text, { addSpecialTokens });
  if (isSame(encoded, ids)) return text;
  const lacksBos = addSpecialTokens && tokenizer.ownBos !== undefined && isSame(encoded.subarray(1), ids);
  throw refused(
    lacksBos
      ? `prompt: this model's server puts ${tokenizer.ownBos} in front of every prompt; send the ids with it, or text.`
      : 'prompt: these token ids have no text that is tokenized to the same ids, and this model takes text; send text.',
  );
}

/** Throws a 400 that names the ids that are not in the vocabulary. */
export async function refuseUnknownIds(tokenizer: Tokenizer, ids: ArrayLike<number>, field = 'prompt'): Promise<void> {
  const unknown = await tokenizer.unknownIds(ids);
  if (unknown.length === 0) return;
  const named = [...new Set(unknown)].slice(0, 5).join(', ');
  throw refused(`${field}: not in this model's vocabulary of ${tokenizer.vocabularySize} tokens: ${named}.`, field);
}

function refused(message: string, param = 'prompt'): ApiError {
  return new ApiError('invalid_request', message, { param });
}

function isSame(left: ArrayLike<number>, right: ArrayLike<number>): boolean {
  if (left.length !== right.length) return false;
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false;
  return true;
}
