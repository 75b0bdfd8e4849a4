import type { ParameterName, Sampling } from '../contracts/contract.ts';
import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { GenerationOptions } from './generation.ts';

/** The parameters that not every contract can honour, and where a request carries them. */
const sampledParameters: readonly (readonly [ParameterName, keyof Sampling])[] = [
  ['logit_bias', 'logitBias'],
  ['min_p', 'minP'],
  ['min_tokens', 'minTokens'],
  ['ignore_eos', 'ignoreEos'],
  ['bad_words', 'badWords'],
  ['allowed_token_ids', 'allowedTokenIds'],
  ['stop_token_ids', 'stopTokenIds'],
  ['include_stop_str_in_output', 'includeStopText'],
  ['skip_special_tokens', 'skipSpecialTokens'],
  ['spaces_between_special_tokens', 'spacesBetweenSpecialTokens'],
];

/** Refuses by name what the model's contract cannot honour. */
export function refuseUnsupported(
  model: ServedModel,
  { sampling, logprobs, structure }: Pick<GenerationOptions, 'sampling' | 'logprobs' | 'structure'>,
): void {
  if (structure) refuse(model, 'structured_outputs', structure.field);
  if (logprobs !== undefined) refuse(model, 'logprobs');
  for (const [parameter, key] of sampledParameters) if (sampling[key] !== undefined) refuse(model, parameter);
}

function refuse(model: ServedModel, parameter: ParameterName, field: string = parameter): void {
  const support = model.contract.support(parameter);
  if (support.kind === 'refused')
    throw new ApiError('unsupported_parameter', `${field}: ${support.reason}`, { param: field });
}
