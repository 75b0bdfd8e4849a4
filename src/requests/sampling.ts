import { z } from 'zod';
import type { Beams, Sampling } from '../contracts/contract.ts';
import { ApiError } from '../errors.ts';
import { isJsonObject } from '../json-object.ts';
import { list, record, refused, taking } from './fields.ts';

const penalty = z.number().min(-2).max(2).nullish();
const tokenId = z.number().int().min(0);
const flag = z.boolean().nullish();
const stopText = z.string().min(1, 'a stop text must not be empty');

/** A 64-bit integer: a number, or a bigint where a number would lose digits. */
const seed = taking(
  { kind: 'any', of: [z.number().int()] },
  z.union(
    [
      z.number().refine(Number.isSafeInteger, 'must be a whole number of at most 64 bits'),
      z
        .bigint()
        .min(-(2n ** 63n))
        .max(2n ** 63n - 1n),
    ],
    { error: 'must be a whole number' },
  ),
);

/** More than any context holds, and what a backend is asked for when nobody knows its context. */
export const mostTokens = 1_000_000;

/** More than any vocabulary has. */
const mostIds = 1_000_000;

/** The most stop texts that a request may name, whatever the settings say. */
export const mostStops = 1_024;

/** The most tokens that a request may favour or shun, and words that it may forbid. */
const mostBiases = 65_536;

const mostBeams = 128;

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
      error: 'must be a text or a list of texts',
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
      include_obfuscation: refused('obfuscation of streams is not offered', [false]),
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
  return_tokens_as_token_ids: flag,
  request_id: z
    .string()
    .regex(/^[\w.-]{1,128}$/, 'must be 1 to 128 letters, digits, dots, dashes or underscores')
    .nullish(),

  use_beam_search: flag,
  beam_width: z.number().int().min(1).max(mostBeams).nullish(),
  length_penalty: z.number().nullish(),

  prompt_logprobs: refused('the backend does not return the logprobs of the prompt'),
  truncate_prompt_tokens: refused('prompts are never cut; shorten it yourself'),
  return_token_ids: refused('the backend does not return token ids', [false]),
  logits_processors: refused('code from requests is never run'),
  priority: refused("Triton's backends do not pass a priority on", [0]),
  cache_salt: refused("Triton's backends do not pass a cache salt on"),
  kv_transfer_params: refused('transfer of key-value caches is not offered'),
  vllm_xargs: refused("Triton's backends do not pass it on"),
  thinking_token_budget: refused("Triton's backends do not pass it on"),
  ec_transfer_params: refused('transfer of encoder caches is not offered'),
  truncation_side: refused('prompts are never cut; shorten it yourself'),
  logprob_token_ids: refused("Triton's backends do not pass it on"),
  repetition_detection: refused("Triton's backends do not pass it on"),
  watermarking: refused('watermarks are not offered', [false]),
  session_id: z.string().nullish(),
  guided_decoding_backend: refused(
    'only response_format, guided_json, guided_regex, guided_choice, guided_grammar and structured_outputs are offered',
  ),
  guided_whitespace_pattern: refused(
    'only response_format, guided_json, guided_regex, guided_choice, guided_grammar and structured_outputs are offered',
  ),
  structural_tag: refused(
    'only response_format, guided_json, guided_regex, guided_choice, guided_grammar and structured_outputs are offered',
  ),
};

type SamplingRequest = z.output<z.ZodObject<typeof samplingFields>>;

/** The wire's names of what a request says about sampling, and of what a model's defaults may say. */
const sampled = [
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
] as const satisfies readonly (readonly [keyof SamplingRequest, keyof Sampling])[];

/** The values that a model's own settings put in the place of fields that a request leaves out. */
export type SamplingDefaults = Partial<Pick<SamplingRequest, (typeof sampled)[number][0] | 'stop' | 'max_tokens'>> & {
  /** Variables of the chat template; those of a request come before them, one by one. */
  readonly chat_template_kwargs?: Readonly<Record<string, unknown>> | undefined;
};

/** What a request, and behind it the model's defaults, say about sampling; the length is the caller's. */
export function samplingOf(request: SamplingRequest, defaults: SamplingDefaults): Sampling {
  const sampling: Record<string, unknown> = {};
  for (const [wire, name] of sampled) {
    const value = request[wire] ?? defaults[wire];
    if (value !== undefined && value !== null && !isEmptyMap(value)) sampling[name] = value;
  }
  const stop = request.stop ?? defaults.stop;
  if (typeof stop === 'string') sampling['stop'] = [stop];
  else if (stop && stop.length > 0) sampling['stop'] = stop;
  return sampling;
}

/** A map without entries asks for nothing. */
function isEmptyMap(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** The fields of a request that a beam search leaves without effect: it draws nothing. */
export function unusedByBeams(request: SamplingRequest, beams: WantedBeams | undefined): string[] {
  if (!beams) return [];
  return (['top_p', 'top_k', 'min_p', 'seed'] as const).filter((field) =>
    ['number', 'bigint'].includes(typeof request[field]),
  );
}

/** A beam search, and the field that asked for it. */
export interface WantedBeams {
  readonly beams: Beams;
  readonly field: 'use_beam_search' | 'beam_width';
}

/** The beam search that a request asks for; without a width, as many beams as answers are followed. */
export function beamsOf(request: SamplingRequest, answers: number): WantedBeams | undefined {
  const { use_beam_search: wanted, beam_width: width, length_penalty: lengthPenalty } = request;
  if (wanted === false && (width ?? 1) > 1)
    throw new ApiError('invalid_request', 'beam_width: not without use_beam_search.', { param: 'beam_width' });
  if (!wanted && (width ?? 1) === 1) {
    if ((lengthPenalty ?? 1) === 1) return undefined;
    const message = 'length_penalty: it belongs to beam search; set use_beam_search.';
    throw new ApiError('unsupported_parameter', message, { param: 'length_penalty' });
  }
  if (answers > (width ?? answers))
    throw new ApiError('invalid_request', `n: must not be more than the ${width} beams of beam_width.`, { param: 'n' });
  const beams = { width: width ?? answers, answers, ...(typeof lengthPenalty === 'number' ? { lengthPenalty } : {}) };
  return { beams, field: wanted ? 'use_beam_search' : 'beam_width' };
}
