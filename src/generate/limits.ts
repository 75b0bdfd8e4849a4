import type { Sampling } from '../contracts/contract.ts';
import { contextExceeded } from '../contracts/prompt-overflow.ts';
import { ApiError, type TokenOverflow } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { PromptAssets } from '../prompt/assets.ts';
import type { GenerationPlan } from './plan.ts';

/** The token limit of the request, else the context length; at most what a counted prompt leaves of it. */
export function lengthLimit(
  { model, sampling, promptField }: Pick<GenerationPlan, 'model' | 'sampling' | 'promptField'>,
  counted: number | undefined,
): number | undefined {
  const context = model.contextLength();
  const { prompt: longest } = model.contract.limits;
  if (counted !== undefined && longest !== undefined && counted > longest)
    throw promptTooLong({ promptTokens: counted, limit: longest }, promptField);
  if (context === undefined) return sampling.maxTokens;
  if (counted === undefined) return sampling.maxTokens ?? context;
  if (counted >= context) throw contextExceeded({ promptTokens: counted, limit: context }, promptField);
  return Math.min(sampling.maxTokens ?? context, context - counted);
}

function promptTooLong(overflow: TokenOverflow, param: string): ApiError {
  const message = `The prompt has ${overflow.promptTokens} tokens; this model takes ${overflow.limit}. Shorten it.`;
  return new ApiError('context_length_exceeded', message, { param, overflow });
}

/** Refuses token ids outside the vocabulary, if its size is known. */
export function checkIds(
  { contract }: Pick<ServedModel, 'contract'>,
  assets: PromptAssets | undefined,
  { stopTokenIds, allowedTokenIds, logitBias, logprobTokenIds }: Sampling,
): void {
  if (!stopTokenIds && !allowedTokenIds && !logitBias && !logprobTokenIds) return;
  const size = contract.limits.vocabulary ?? assets?.tokenizer?.vocabularySize;
  if (size === undefined) return;
  const idsByField = {
    stop_token_ids: stopTokenIds ?? [],
    allowed_token_ids: allowedTokenIds ?? [],
    logprob_token_ids: logprobTokenIds ?? [],
    logit_bias: Object.keys(logitBias ?? {}).map(Number),
  };
  for (const [param, ids] of Object.entries(idsByField)) {
    const strange = ids.find((id) => id >= size);
    if (strange === undefined) continue;
    const message = `${param}: ${strange} is not in this model's vocabulary of ${size} tokens.`;
    throw new ApiError('invalid_request', message, { param });
  }
}
