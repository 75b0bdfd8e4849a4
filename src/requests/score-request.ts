import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { classFields } from './classify-request.ts';
import { list } from './fields.ts';
import { mostDocuments } from './rerank-request.ts';

const text = z.string().min(1, { error: 'must not be empty.' });
const side = z
  .union([text, list(text, { least: 1, most: mostDocuments })], { error: 'must be a string or an array of strings.' })
  .nullish();

/** The body of POST /v1/score and /score: the fields of vLLM, which has renamed the two sides twice. */
export const ScoreRequest = z.object({
  ...classFields,
  text_1: side,
  text_2: side,
  queries: side,
  documents: side,
  items: side,
  data_1: side,
  data_2: side,
});

const sides = [
  ['text_1', 'text_2'],
  ['queries', 'documents'],
  ['queries', 'items'],
  ['data_1', 'data_2'],
] as const;

/** One side of the pairs, under its name in the request. */
export interface PairSide {
  readonly field: string;
  readonly texts: readonly string[];
  readonly isList: boolean;
}

/** Both sides; a single first text is paired with each of the second ones. */
export interface PairSides {
  readonly first: PairSide;
  readonly second: PairSide;
}

/** The two sides of a request, under any of their names. */
export function sidesOf(body: z.output<typeof ScoreRequest>): PairSides {
  const present = [...new Set(sides.flat())].filter((name) => (body[name] ?? undefined) !== undefined);
  const names = sides.find((pair) => present.length === 2 && pair.every((name) => present.includes(name)));
  if (!names) throw refusal(present[0] ?? 'text_1', `send exactly one of these pairs: ${pairNames}.`);
  const [first, second] = names.map((field): PairSide => {
    const value = body[field] ?? [];
    return typeof value === 'string' ? { field, texts: [value], isList: false } : { field, texts: value, isList: true };
  }) as [PairSide, PairSide];
  const { length } = first.texts;
  if (length !== 1 && length !== second.texts.length)
    throw refusal(
      first.field,
      `must have 1 entry, or as many as ${second.field} (${second.texts.length}), not ${length}.`,
    );
  return { first, second };
}

const pairNames = sides.map((pair) => pair.join(' and ')).join(', ');

function refusal(param: string, message: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${message}`, { param });
}
