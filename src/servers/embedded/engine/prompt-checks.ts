import { invalidArgument } from './faults.ts';
import type { SamplingParameters } from './sampling-parameters.ts';
import type { Vocabulary } from './vocabulary.ts';

/** How many tokens there is room for behind a prompt; one that leaves none is refused in vLLM's words. */
export function checkPrompt(prompt: readonly number[], contextLength: number): number {
  const { length } = prompt;
  if (length === 0) throw invalidArgument('The decoder prompt cannot be empty');
  if (length >= contextLength)
    throw invalidArgument(
      `The decoder prompt (length ${length}) is longer than the maximum model length of ${contextLength}, ` +
        'which has to hold at least one token of the answer too.',
    );
  return contextLength - length;
}

/** Refuses ids that stand for no token. */
export function checkTokenIds(parameters: SamplingParameters, size: number): void {
  const given: readonly (readonly [string, readonly number[]])[] = [
    ['stop_token_ids', parameters.stop_token_ids],
    ['allowed_token_ids', parameters.allowed_token_ids ?? []],
    ['logit_bias', Object.keys(parameters.logit_bias).map(Number)],
  ];
  for (const [name, ids] of given) {
    const unknown = ids.find((id) => id >= size);
    if (unknown !== undefined)
      throw invalidArgument(`sampling_parameters.${name}: ${unknown} is no token; the vocabulary has ${size}`);
  }
}

/** The ids of each word, at the beginning of a text and after a space, as vLLM forbids them. */
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
