import { z } from 'zod';
import type { EngineSampling } from '../contracts/contract.ts';
import { list, record } from './fields.ts';
import { tokenId } from './token-id.ts';

/** The largest 32-bit integer. */
const largest = 2 ** 31 - 1;

/** The limit of Conch's own vLLM model, in bytes. */
const longestSalt = 1_024;

/** The limit of vLLM. */
const mostLogprobIds = 128;

/** Maximum number of entries of an object whose names only the engine knows, and of a list in it. */
const mostOptions = 1_024;

/** Names that vLLM's engine reads itself: a value of a wrong type would end it. */
const reservedName = /^(?!(?:kv_transfer_params|ec_transfer_params|kv_cache_report_mode)$)/;

const count = z.number().int().min(0).max(largest).nullish();
const scalar = z.union([z.string(), z.number()], { error: 'must be a string or a number' });

/** An object that the engine reads. */
export const engineObject = record(z.unknown(), { most: mostOptions });

/** vLLM's fields for its engine, which only Conch's own vLLM model supports. */
export const engineFields = {
  // Lower values run first: a client may only let others pass.
  priority: z.number().int().min(0).max(largest).nullish(),
  cache_salt: z
    .string()
    .min(1)
    .refine((salt) => Buffer.byteLength(salt) <= longestSalt, `must have at most ${longestSalt} bytes`)
    .nullish(),
  thinking_token_budget: z.number().int().min(-1).max(largest).nullish(),
  repetition_detection: z
    .strictObject({ max_pattern_size: count, min_pattern_size: count, min_count: count })
    .nullish(),
  logprob_token_ids: list(tokenId, { least: 1, most: mostLogprobIds }).nullish(),
  vllm_xargs: record(
    z.union([scalar, list(scalar, { most: mostOptions })], {
      error: 'must be a string, a number or an array of them',
    }),
    { key: z.string().regex(reservedName, 'is reserved by the engine'), most: mostOptions },
  ).nullish(),
};

/** Their names in `Sampling`. */
const engineNames: Readonly<Record<keyof typeof engineFields, keyof EngineSampling>> = {
  priority: 'priority',
  cache_salt: 'cacheSalt',
  thinking_token_budget: 'thinkingTokenBudget',
  repetition_detection: 'repetitionDetection',
  logprob_token_ids: 'logprobTokenIds',
  vllm_xargs: 'engineExtras',
};

/** The name of a field in `Sampling`, if it is one of them. */
export function engineNameOf(field: string): keyof EngineSampling | undefined {
  return Object.hasOwn(engineNames, field) ? engineNames[field as keyof typeof engineNames] : undefined;
}
