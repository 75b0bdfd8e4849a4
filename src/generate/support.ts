import type { ParameterName, Sampling } from '../contracts/contract.ts';
import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { RequestedOptions, RequestedStructure } from '../requests/structure.ts';
import type { GenerationPlan } from './plan.ts';
import type { TokenReports } from './token-reports.ts';

/** A parameter that not every contract supports, and its neutral values. */
interface SampledParameter {
  readonly name: ParameterName;
  readonly neutral?: readonly unknown[];
}

/** By their keys in the sampling. The token limit is supported everywhere. */
const sampledParameters: Readonly<Record<Exclude<keyof Sampling, 'maxTokens'>, SampledParameter>> = {
  temperature: { name: 'temperature' },
  topP: { name: 'top_p', neutral: [1] },
  topK: { name: 'top_k', neutral: [0, -1] },
  minP: { name: 'min_p', neutral: [0] },
  repetitionPenalty: { name: 'repetition_penalty', neutral: [1] },
  frequencyPenalty: { name: 'frequency_penalty', neutral: [0] },
  presencePenalty: { name: 'presence_penalty', neutral: [0] },
  seed: { name: 'seed' },
  stop: { name: 'stop' },
  logitBias: { name: 'logit_bias' },
  minTokens: { name: 'min_tokens', neutral: [0] },
  ignoreEos: { name: 'ignore_eos', neutral: [false] },
  badWords: { name: 'bad_words' },
  allowedTokenIds: { name: 'allowed_token_ids' },
  stopTokenIds: { name: 'stop_token_ids' },
  includeStopText: { name: 'include_stop_str_in_output', neutral: [false] },
  skipSpecialTokens: { name: 'skip_special_tokens', neutral: [true] },
  spacesBetweenSpecialTokens: { name: 'spaces_between_special_tokens', neutral: [true] },
  logitsPostProcessorName: { name: 'logits_post_processor_name' },
  logprobTokenIds: { name: 'logprob_token_ids' },
  priority: { name: 'priority', neutral: [0] },
  cacheSalt: { name: 'cache_salt' },
  thinkingTokenBudget: { name: 'thinking_token_budget' },
  repetitionDetection: { name: 'repetition_detection' },
  engineExtras: { name: 'vllm_xargs' },
  mediaOptions: { name: 'mm_processor_kwargs' },
};

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
  // By key: requests set few of the many parameters.
  for (const key in sampling) refuseSampled(model, key as keyof Sampling, sampling);
  if (sampling.logprobTokenIds && logprobs === undefined)
    throw new ApiError('invalid_request', 'logprob_token_ids: only allowed with logprobs.', {
      param: 'logprob_token_ids',
    });
  model.contract.checkSampling?.(sampling);
}

function refuseSampled(model: ServedModel, key: keyof Sampling, sampling: Sampling): void {
  if (key === 'maxTokens') return;
  const { name, neutral } = sampledParameters[key];
  const value = sampling[key];
  if (value === undefined || neutral?.includes(value) || (Array.isArray(value) && value.length === 0)) return;
  refuse(model, name);
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
