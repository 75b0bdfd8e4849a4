import type { SamplingParameters } from './sampling-parameters.ts';
import { invalidArgument } from './status-errors.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Returns how many tokens fit after a prompt. Throws with vLLM's wording if none does. */
export function checkPrompt(prompt: readonly number[], contextLength: number): number {
  const { length } = prompt;
  if (length === 0) throw invalidArgument('The decoder prompt cannot be empty');
  if (length >= contextLength)
    throw invalidArgument(
      `The decoder prompt (length ${length}) is longer than the maximum model length of ${contextLength}, ` +
        'which must also hold at least one token of the completion.',
    );
  return contextLength - length;
}

/** Rejects ids that are not in the vocabulary. */
export function checkTokenIds(parameters: SamplingParameters, size: number): void {
  const idLists: readonly (readonly [string, readonly number[]])[] = [
    ['stop_token_ids', parameters.stop_token_ids],
    ['allowed_token_ids', parameters.allowed_token_ids ?? []],
    ['logit_bias', Object.keys(parameters.logit_bias).map(Number)],
  ];
  for (const [name, ids] of idLists) {
    const unknown = ids.find((id) => id >= size);
    if (unknown !== undefined)
      throw invalidArgument(
        `sampling_parameters.${name}: the token id ${unknown} does not exist; the vocabulary has ${size} tokens.`,
      );
  }
}

/** The ids of each word, at the start of a text and after a space, as vLLM forbids them. */
export async function badWordIds(words: readonly string[], vocabulary: Vocabulary): Promise<number[][]> {
  const forbidden: number[][] = [];
  for (const word of words) {
    const bare = word.trimStart();
    const first = await vocabulary.encode(bare, plainText);
    const spaced = await vocabulary.encode(` ${bare}`, plainText);
    forbidden.push(first);
    if (spaced[0] !== first[0] && spaced.length === first.length) forbidden.push(spaced);
  }
  return forbidden.filter(({ length }) => length > 0);
}

const plainText = { addSpecialTokens: false };
