import type { JsonObject } from '../json-object.ts';
import { countPrompts } from './request-limits.ts';

/** Characters that a token stands for, where nobody counts. */
const charactersPerToken = 4;

/** Tokens that an answer is taken to have whose request does not say how many it may have. */
const usualAnswer = 256;

/** What a request may take, guessed before it is answered. */
export interface TokenEstimate {
  readonly prompt: number;
  readonly answers: number;
}

/** Guesses the tokens of a request by its fields. */
export type TokenEstimator = (fields: JsonObject) => TokenEstimate;

/** For requests that only read a prompt. */
export const estimatePrompt: TokenEstimator = (fields) => ({ prompt: tokensIn(fields), answers: 0 });

/** For requests that generate text; the field says how long each response may get. */
export function estimateWith(limitOf: (fields: JsonObject) => unknown): TokenEstimator {
  return (fields) => {
    const most = numberOf(limitOf(fields)) ?? usualAnswer;
    const choices = Math.max(numberOf(fields['n']) ?? 1, numberOf(fields['best_of']) ?? 1);
    return { prompt: tokensIn(fields), answers: most * choices * countPrompts(fields['prompt']) };
  };
}

/** Tokens of all texts in a value; ids of tokens are tokens, and images are none. */
function tokensIn(body: unknown): number {
  let characters = 0;
  let ids = 0;
  const open: unknown[] = [body];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') characters += value.startsWith('data:') ? 0 : value.length;
    else if (Array.isArray(value)) {
      if (typeof value[0] === 'number') ids += value.length;
      else for (const entry of value) open.push(entry);
    } else if (typeof value === 'object' && value !== null)
      for (const [name, entry] of Object.entries(value)) if (!isImage(name, entry)) open.push(entry);
  }
  return Math.ceil(characters / charactersPerToken) + ids;
}

/** Images stand in members of these names, as the base64 of their bytes. */
function isImage(name: string, value: unknown): boolean {
  return name === 'data' || (name === 'images' && Array.isArray(value));
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
