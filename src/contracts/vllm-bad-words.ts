import { ApiError } from '../errors.ts';
import type { Sampling } from './contract.ts';

/** What Python takes for white space, which vLLM removes from the beginning of each word. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: Python counts the separators U+001C to U+001F as white space.
const blank = /^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/;

/** Rejects the words on which vLLM fails: those without a token of their own, and those that are no Unicode text. */
export function checkBadWords({ badWords = [] }: Sampling): void {
  for (const [at, word] of badWords.entries()) {
    const reason = reasonAgainst(word);
    if (reason === undefined) continue;
    const param = `bad_words[${at}]`;
    throw new ApiError('invalid_request', `${param}: ${JSON.stringify(word.slice(0, 40))} ${reason}`, { param });
  }
}

function reasonAgainst(word: string): string | undefined {
  if (blank.test(word))
    return 'has only white space, which this backend cannot forbid. Use words with other characters, or stop.';
  if (/\p{Surrogate}/u.test(word)) return 'is not valid Unicode: half of a surrogate pair is missing.';
  return undefined;
}
