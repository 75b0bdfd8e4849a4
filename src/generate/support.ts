import type { ParameterName, Sampling } from '../contracts/contract.ts';
import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { RequestedOptions, RequestedStructure } from '../requests/structure.ts';
import type { GenerationPlan } from './plan.ts';
import type { TokenReports } from './token-reports.ts';

/** The parameters that not every contract supports, their keys in the sampling, and their neutral values. */
const sampledParameters: readonly (readonly [ParameterName, keyof Sampling, neutral?: readonly unknown[]])[] = [
  ['temperature', 'temperature'],
  ['top_p', 'topP', [1]],
  ['top_k', 'topK', [0, -1]],
  ['min_p', 'minP', [0]],
  ['repetition_penalty', 'repetitionPenalty', [1]],
  ['frequency_penalty', 'frequencyPenalty', [0]],
  ['presence_penalty', 'presencePenalty', [0]],
  ['seed', 'seed'],
  ['stop', 'stop'],
  ['logit_bias', 'logitBias'],
  ['min_tokens', 'minTokens', [0]],
  ['ignore_eos', 'ignoreEos', [false]],
  ['bad_words', 'badWords'],
  ['allowed_token_ids', 'allowedTokenIds'],
  ['stop_token_ids', 'stopTokenIds'],
  ['include_stop_str_in_output', 'includeStopText', [false]],
  ['skip_special_tokens', 'skipSpecialTokens', [true]],
  ['spaces_between_special_tokens', 'spacesBetweenSpecialTokens', [true]],
  ['logits_post_processor_name', 'logitsPostProcessorName'],
  ['logprob_token_ids', 'logprobTokenIds'],
  ['priority', 'priority', [0]],
  ['cache_salt', 'cacheSalt'],
  ['thinking_token_budget', 'thinkingTokenBudget'],
  ['repetition_detection', 'repetitionDetection'],
  ['vllm_xargs', 'engineExtras'],
  ['kv_transfer_params', 'kvTransferParams'],
  ['mm_processor_kwargs', 'mediaOptions'],
];

interface RequestedParameters extends Pick<GenerationPlan, 'sampling' | 'beams' | 'logprobs' | 'reports'> {
  readonly structure: RequestedStructure | undefined;
  readonly structureOptions: RequestedOptions | undefined;
}

/** Refuses parameters that the model's contract does not support. Completions request alternatives with `logprobs`. */
export function refuseUnsupported(
  model: ServedModel,
  { sampling, beams, logprobs, reports, structure, structureOptions }: RequestedParameters,
  topLogprobsField: 'top_logprobs' | 'logprobs' = 'top_logprobs',
): void {
  if (structure) refuseStructure(model, structure);
  if (structureOptions) refuse(model, 'guided_whitespace_pattern', structureOptions.field);
  if (reports) refuseReports(model, reports);
  if (logprobs !== undefined) refuse(model, 'logprobs');
  if (logprobs) refuse(model, 'top_logprobs', topLogprobsField);
  if (beams) refuseBeams(model, beams);
  for (const [parameter, key, neutral] of sampledParameters) {
    const value = sampling[key];
    if (value === undefined || neutral?.includes(value) || (Array.isArray(value) && value.length === 0)) continue;
    refuse(model, parameter);
  }
  if (sampling.logprobTokenIds && logprobs === undefined)
    throw new ApiError('invalid_request', 'logprob_token_ids: only allowed with logprobs.', {
      param: 'logprob_token_ids',
    });
  model.contract.checkSampling?.(sampling);
}

function refuseStructure(model: ServedModel, { structure, field }: RequestedStructure): void {
  refuse(model, 'structured_outputs', field);
  if (!('structural_tag' in structure)) return;
  refuse(model, 'structural_tag', field === 'structured_outputs' ? 'structured_outputs.structural_tag' : field);
}

function refuseReports(model: ServedModel, { ids, promptLogprobs, echoedLogprobs }: TokenReports): void {
  if (ids) refuse(model, 'return_token_ids');
  if (promptLogprobs !== undefined) refuse(model, 'prompt_logprobs');
  if (echoedLogprobs === undefined || model.contract.support('prompt_logprobs').kind !== 'refused') return;
  const message = 'echo: cannot be combined with logprobs, because the backend returns no logprobs of the prompt.';
  throw new ApiError('unsupported_parameter', message, { param: 'echo' });
}

function refuseBeams(model: ServedModel, { beams, field }: NonNullable<GenerationPlan['beams']>): void {
  const { width, lengthPenalty } = beams;
  refuse(model, 'use_beam_search', field);
  if (lengthPenalty !== undefined) refuse(model, 'length_penalty');
  const { beamWidth } = model.contract.limits;
  if (beamWidth !== undefined && width > beamWidth)
    throw new ApiError('invalid_request', `beam_width: must be at most ${beamWidth} for this model, not ${width}.`, {
      param: 'beam_width',
    });
}

function refuse(model: ServedModel, parameter: ParameterName, field: string = parameter): void {
  const support = model.contract.support(parameter);
  if (support.kind === 'refused')
    throw new ApiError('unsupported_parameter', `${field}: ${support.reason}`, { param: field });
}
