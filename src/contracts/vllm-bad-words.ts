import { ApiError } from '../errors.ts';
import type { Sampling } from './contract.ts';

/** What Python takes for white space in addition to JavaScript. */
const separators = '\u001c\u001d\u001e\u001f\u0085';

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
  if (isBlank(word))
    return 'has only white space, which this backend cannot forbid. Use words with other characters, or stop.';
  if (/\p{Surrogate}/u.test(word)) return 'is not valid Unicode: half of a surrogate pair is missing.';
  return undefined;
}

/** Whether nothing is left of a word: vLLM removes what Python takes for white space from its beginning. */
function isBlank(word: string): boolean {
  return Array.from(word).every((each) => (/\s/.test(each) && each !== '\ufeff') || separators.includes(each));
}
