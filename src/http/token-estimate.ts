import type { JsonObject } from '../json-object.ts';
import { countPrompts } from './request-limits.ts';

/** Characters per token, for estimates. */
const charactersPerToken = 4;

/** Estimated completion tokens of a request without a token limit. */
const defaultCompletionTokens = 256;

/** Estimated tokens of a request, before it runs. */
export interface TokenEstimate {
  readonly prompt: number;
  readonly completion: number;
}

/** Estimates the tokens of a request from its fields. */
export type TokenEstimator = (fields: JsonObject) => TokenEstimate;

/** For requests that only have a prompt. */
export const estimatePrompt: TokenEstimator = (fields) => ({ prompt: tokensIn(fields), completion: 0 });

/** For requests that generate text; `limitOf` returns their token limit. */
export function estimateWith(limitOf: (fields: JsonObject) => unknown): TokenEstimator {
  return (fields) => {
    const most = numberOf(limitOf(fields)) ?? defaultCompletionTokens;
    const choices = Math.max(numberOf(fields['n']) ?? 1, numberOf(fields['best_of']) ?? 1);
    return { prompt: tokensIn(fields), completion: most * choices * countPrompts(fields['prompt']) };
  };
}

/** Estimated tokens of all texts in a value. Token ids count as tokens, images as none. */
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

/** Members of these names have images, as base64. */
function isImage(name: string, value: unknown): boolean {
  return name === 'data' || (name === 'images' && Array.isArray(value));
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
