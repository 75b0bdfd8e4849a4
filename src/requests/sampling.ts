import { z } from 'zod';
import type { Beams, Sampling } from '../contracts/contract.ts';
import { ApiError } from '../errors.ts';
import { isJsonObject } from '../json-object.ts';
import { withAcceptedValues } from './accepted-values.ts';
import { engineFields, engineNameOf } from './engine-fields.ts';
import { list, record, unsupportedField } from './fields.ts';
import { mostIds, tokenId } from './token-id.ts';

const penalty = z.number().min(-2).max(2).nullish();
const flag = z.boolean().nullish();
const stopText = z.string().min(1, 'a stop sequence must not be empty');

/** A 64-bit integer: a number, or a bigint where a number would lose digits. */
const seed = withAcceptedValues(
  { kind: 'any', of: [z.number().int()] },
  z.union(
    [
      z.number().refine(Number.isSafeInteger, 'must be an integer of at most 64 bits'),
      z
        .bigint()
        .min(-(2n ** 63n))
        .max(2n ** 63n - 1n),
    ],
    { error: 'must be an integer' },
  ),
);

/** More than any context length; also the token limit sent to a backend whose context length is unknown. */
export const mostTokens = 1_000_000;

/** Maximum number of stop sequences, regardless of the settings. */
export const mostStops = 1_024;

/** Maximum number of entries of `logit_bias` and `bad_words`. */
const mostBiases = 65_536;

const mostBeams = 128;

/** Maximum number of characters of a name that the server knows. */
const mostNameLength = 256;

/** Like the limit of `logprobs`. */
const mostPromptLogprobs = 20;

/** The fields that chat and completions share: OpenAI's own, then what vLLM adds. */
export const samplingFields = {
  frequency_penalty: penalty,
  presence_penalty: penalty,
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  seed: seed.nullish(),
  n: z.number().int().min(1).max(128).nullish(),
  stop: z
    .union([stopText, list(stopText, { most: mostStops })], {
      error: 'must be a string or an array of strings',
    })
    .nullish(),
  max_tokens: z.number().int().min(0).nullish(),
  logit_bias: record(z.number().min(-100).max(100), {
    key: z.string().regex(/^\d+$/, 'keys must be token ids'),
    most: mostBiases,
  }).nullish(),
  stream: flag,
  stream_options: z
    .strictObject({
      include_usage: flag,
      continuous_usage_stats: flag,
      include_obfuscation: unsupportedField('stream obfuscation is not supported', [false]),
    })
    .nullish(),
  stream_interval: z.number().int().min(1).max(mostTokens).nullish(),
  user: z.string().nullish(),

  top_k: z.number().int().min(-1).nullish(),
  min_p: z.number().min(0).max(1).nullish(),
  repetition_penalty: z.number().gt(0).nullish(),
  min_tokens: z.number().int().min(0).max(mostTokens).nullish(),
  ignore_eos: flag,
  stop_token_ids: list(tokenId, { most: mostIds }).nullish(),
  include_stop_str_in_output: flag,
  bad_words: list(z.string().min(1), { most: mostBiases }).nullish(),
  allowed_token_ids: list(tokenId, { least: 1, most: mostIds }).nullish(),
  skip_special_tokens: flag,
  spaces_between_special_tokens: flag,
  logits_post_processor_name: z.string().min(1).max(mostNameLength).nullish(),
  return_tokens_as_token_ids: flag,
  request_id: z
    .string()
    .regex(/^[\w.-]{1,128}$/, 'must be 1 to 128 letters, digits, dots, dashes or underscores')
    .nullish(),

  use_beam_search: flag,
  beam_width: z.number().int().min(1).max(mostBeams).nullish(),
  length_penalty: z.number().nullish(),

  prompt_logprobs: z.number().int().min(0).max(mostPromptLogprobs).nullish(),
  truncate_prompt_tokens: z
    .number()
    .int()
    .min(-1)
    .max(mostTokens)
    .refine((value) => value !== 0, 'must be -1, or at least 1')
    .nullish(),
  truncation_side: z.enum(['left', 'right'], { error: 'must be left or right' }).nullish(),
  return_token_ids: flag,
  logits_processors: unsupportedField('code in requests is never run'),
  kv_transfer_params: unsupportedField('KV cache transfer is not supported'),
  ec_transfer_params: unsupportedField('encoder cache transfer is not supported'),
  watermarking: unsupportedField('watermarking is not supported', [false]),
  session_id: z.string().nullish(),
  guided_decoding_backend: unsupportedField(
    'not supported; send response_format, guided_json, guided_regex, guided_choice, guided_grammar or structured_outputs',
  ),
  ...engineFields,
};

type SamplingRequest = z.output<z.ZodObject<typeof samplingFields>>;

/** The sampling parameters that requests and model defaults may set: their names in the API and in `Sampling`. */
const samplingNames = [
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['top_k', 'topK'],
  ['min_p', 'minP'],
  ['repetition_penalty', 'repetitionPenalty'],
  ['frequency_penalty', 'frequencyPenalty'],
  ['presence_penalty', 'presencePenalty'],
  ['min_tokens', 'minTokens'],
  ['seed', 'seed'],
  ['stop_token_ids', 'stopTokenIds'],
  ['include_stop_str_in_output', 'includeStopText'],
  ['ignore_eos', 'ignoreEos'],
  ['bad_words', 'badWords'],
  ['allowed_token_ids', 'allowedTokenIds'],
  ['logit_bias', 'logitBias'],
  ['skip_special_tokens', 'skipSpecialTokens'],
  ['spaces_between_special_tokens', 'spacesBetweenSpecialTokens'],
  ['logits_post_processor_name', 'logitsPostProcessorName'],
] as const satisfies readonly (readonly [keyof SamplingRequest, keyof Sampling])[];

/** The defaults of a model for fields that a request leaves out. */
export type SamplingDefaults = Partial<
  Pick<SamplingRequest, (typeof samplingNames)[number][0] | 'stop' | 'max_tokens'>
> & {
  /** Merged with the `chat_template_kwargs` of a request, which take precedence. */
  readonly chat_template_kwargs?: Readonly<Record<string, unknown>> | undefined;
};

/** The sampling parameters of a request, with the model's defaults. The caller sets the token limit. */
export function samplingOf(request: SamplingRequest, defaults: SamplingDefaults): Sampling {
  const sampling: Record<string, unknown> = {};
  for (const [wire, name] of samplingNames) {
    const value = request[wire] ?? defaults[wire];
    if (value !== undefined && value !== null && !isEmptyMap(value)) sampling[name] = value;
  }
  // By field: requests have few of the many fields.
  for (const field in request) {
    const name = engineNameOf(field);
    if (name === undefined) continue;
    const value = request[field as keyof SamplingRequest];
    if (value !== undefined && value !== null && !isEmptyMap(value)) sampling[name] = value;
  }
  const stop = request.stop ?? defaults.stop;
  if (typeof stop === 'string') sampling['stop'] = [stop];
  else if (stop && stop.length > 0) sampling['stop'] = stop;
  return sampling;
}

/** An empty map is the same as none. */
function isEmptyMap(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** The fields that a beam search ignores, because it does not sample. */
export function unusedByBeams(request: SamplingRequest, beams: RequestedBeams | undefined): string[] {
  if (!beams) return [];
  return (['top_p', 'top_k', 'min_p', 'seed'] as const).filter((field) =>
    ['number', 'bigint'].includes(typeof request[field]),
  );
}

/** A beam search, and the field that requested it. */
export interface RequestedBeams {
  readonly beams: Beams;
  readonly field: 'use_beam_search' | 'beam_width';
}

/** The beam search of a request. Without `beam_width`, it has one beam per choice. */
export function beamsOf(request: SamplingRequest, completions: number): RequestedBeams | undefined {
  const { use_beam_search: useBeams, beam_width: width, length_penalty: lengthPenalty } = request;
  if (useBeams === false && (width ?? 1) > 1)
    throw new ApiError(
      'invalid_request',
      'beam_width: requires use_beam_search, which is false. Send only one of them.',
      { param: 'beam_width' },
    );
  if (!useBeams && (width ?? 1) === 1) {
    if ((lengthPenalty ?? 1) === 1) return undefined;
    const message = 'length_penalty: only supported with beam search; set use_beam_search.';
    throw new ApiError('unsupported_parameter', message, { param: 'length_penalty' });
  }
  if (completions > (width ?? completions))
    throw new ApiError('invalid_request', `n: must be at most beam_width, which is ${width}.`, { param: 'n' });
  const beams: Beams = {
    width: width ?? completions,
    completions,
    ...(typeof lengthPenalty === 'number' ? { lengthPenalty } : {}),
  };
  return { beams, field: useBeams ? 'use_beam_search' : 'beam_width' };
}
