import { ApiError } from '../errors.ts';
import type { TokenChoice, TokenLogprob } from './contract.ts';
import { lowestLogprob } from './lowest-logprob.ts';

interface Entry {
  readonly logprob: number;
  readonly rank: number | null;
  readonly decoded_token: string | null;
}

/**
 * Reads the backend's logprobs: a list with an entry per token, each a map from token id to its figures with the chosen
 * token first. JavaScript would sort the map by its integer keys, so the keys get a letter before they are parsed.
 */
export function readVllmLogprobs(json: string, count: number): TokenLogprob[] {
  const parsed = parse(json);
  return (parsed ?? []).map((entries) => {
    const choices = Object.entries(entries).map(([key, entry]) => ({ rank: entry.rank, choice: choiceOf(key, entry) }));
    const [chosen] = choices;
    if (!chosen) throw unreadable();
    const top = choices
      .toSorted((a, b) => (a.rank ?? Number.POSITIVE_INFINITY) - (b.rank ?? Number.POSITIVE_INFINITY))
      .slice(0, count)
      .map(({ choice }) => choice);
    return { ...chosen.choice, top };
  });
}

function parse(json: string): Record<string, Entry>[] | null {
  const text = json
    .replaceAll(/"(\d+)": ?\{"logprob"/g, '"t$1":{"logprob"')
    .replaceAll(/"logprob": ?(?:-Infinity|NaN)/g, `"logprob":${lowestLogprob}`);
  try {
    return JSON.parse(text) as Record<string, Entry>[] | null;
  } catch (error) {
    throw unreadable(error);
  }
}

function choiceOf(key: string, entry: Entry): TokenChoice {
  return { id: Number(key.slice(1)), text: entry.decoded_token ?? '', logprob: entry.logprob };
}

function unreadable(cause?: unknown): ApiError {
  return new ApiError('backend_error', 'The backend sent logprobs in a format that Conch cannot read.', { cause });
}
