import { z } from 'zod';
import { withAcceptedValues } from './accepted-values.ts';
import { list, unsupportedField } from './fields.ts';

/** Maximum number of inputs per request: OpenAI's limit. */
export const mostInputs = 2_048;

/** More than any context holds. */
const mostTokens = 1_000_000;

/** The texts or token ids to embed, and whether the request sent a list of them. */
export interface EmbeddingInput {
  readonly items: readonly (string | readonly number[])[];
  readonly isList: boolean;
}

const text = z.string().min(1);
const ids = list(z.number().int().min(0).max(0x7fffffff), { least: 1, most: mostTokens });
const listed = (item: z.ZodType) => list(item, { least: 1, most: mostInputs });

const input = withAcceptedValues(
  { kind: 'any', of: [text, listed(text), ids, listed(ids)] },
  z.unknown().transform((value, context): EmbeddingInput => {
    const problem = problemOf(value);
    if (!problem) return isIds(value) || typeof value === 'string' ? { items: [value], isList: false } : listOf(value);
    context.addIssue({ code: 'custom', message: problem.message, path: [...problem.path] });
    return z.NEVER;
  }),
);

interface InputProblem {
  readonly path: readonly number[];
  readonly message: string;
}

function problemOf(value: unknown): InputProblem | undefined {
  if (typeof value === 'string') return value === '' ? { path: [], message: 'must not be empty.' } : undefined;
  if (!Array.isArray(value))
    return {
      path: [],
      message: 'must be a string, an array of strings, an array of token ids or an array of token id arrays.',
    };
  if (value.length === 0) return { path: [], message: 'must have at least 1 entry.' };
  if (isIds(value)) return idsProblem(value, []);
  if (value.length > mostInputs)
    return {
      path: [],
      message: `must have at most ${mostInputs} entries, not ${value.length}; send several requests.`,
    };
  for (const [at, item] of value.entries()) {
    const problem = itemProblem(item, at);
    if (problem) return problem;
  }
  return undefined;
}

function itemProblem(item: unknown, at: number): InputProblem | undefined {
  if (typeof item === 'string') return item === '' ? { path: [at], message: 'must not be empty.' } : undefined;
  if (!Array.isArray(item)) return { path: [at], message: 'must be a string or an array of token ids.' };
  return item.length === 0 ? { path: [at], message: 'must not be empty.' } : idsProblem(item, [at]);
}

function idsProblem(ids: readonly unknown[], path: readonly number[]): InputProblem | undefined {
  if (ids.length > mostTokens)
    return { path, message: `must have at most ${mostTokens} token ids, not ${ids.length}.` };
  const at = ids.findIndex((id) => typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id > 0x7fffffff);
  return at < 0 ? undefined : { path: [...path, at], message: 'must be a token id: an integer from 0 to 2147483647.' };
}

/** A list that starts with a number has the token ids of one text. */
function isIds(value: unknown): value is number[] {
  return Array.isArray(value) && typeof value[0] === 'number';
}

function listOf(value: unknown): EmbeddingInput {
  return { items: value as (string | number[])[], isList: true };
}

/** The body of POST /v1/embeddings: every field of OpenAI's and of vLLM's. */
export const EmbeddingRequest = z.object({
  model: z.string().min(1).max(256),
  input,
  dimensions: z.number().int().min(1).nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  user: z.string().nullish(),

  messages: unsupportedField('not supported; send input instead'),
  truncate_prompt_tokens: unsupportedField('inputs are never truncated; shorten the input'),
  add_special_tokens: unsupportedField('special tokens are added as the model requires', [true]),
  additional_data: unsupportedField('additional data is not passed to the backend'),
  priority: unsupportedField('priorities are not supported; requests are served in turn', [0]),
  normalize: unsupportedField('normalization is configured per model (docs/embeddings.md)'),
  embed_dtype: unsupportedField('embeddings are always float32', ['float32']),
  endianness: unsupportedField('base64 embeddings are always little-endian', ['native', 'little']),
});

export type EmbeddingRequest = z.output<typeof EmbeddingRequest>;
