import type { Sampling } from './contract.ts';
import { smallestTopP } from './extremes.ts';

/** The parameters that vLLM takes as they are. A single unknown key would fail the whole request. */
const sampledBy: readonly (readonly [keyof Sampling, string])[] = [
  ['minTokens', 'min_tokens'],
  ['temperature', 'temperature'],
  ['topK', 'top_k'],
  ['minP', 'min_p'],
  ['repetitionPenalty', 'repetition_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['presencePenalty', 'presence_penalty'],
  ['logitBias', 'logit_bias'],
  ['seed', 'seed'],
  ['stop', 'stop'],
  ['stopTokenIds', 'stop_token_ids'],
  ['includeStopText', 'include_stop_str_in_output'],
  ['ignoreEos', 'ignore_eos'],
  ['badWords', 'bad_words'],
  ['allowedTokenIds', 'allowed_token_ids'],
  ['skipSpecialTokens', 'skip_special_tokens'],
  ['spacesBetweenSpecialTokens', 'spaces_between_special_tokens'],
];

/** The sampling parameters in vLLM's own names, without the token limit. */
export function vllmSampling(sampling: Sampling): Record<string, unknown> {
  const parameters: Record<string, unknown> = {};
  for (const [key, name] of sampledBy) if (sampling[key] !== undefined) parameters[name] = sampling[key];
  if (sampling.topP !== undefined) parameters['top_p'] = Math.max(sampling.topP, smallestTopP);
  return parameters;
}
