import { z } from 'zod';
import type { ParameterValue } from '../../../kserve/server.ts';
import { invalidArgument } from './status-errors.ts';

/** vLLM's own limit, which is also in Conch's errors. */
const mostLogprobs = 20;

const tokenIds = z.array(z.int().min(0));
const flag = z.boolean();

/** The sampling_parameters of vLLM that this engine supports, with vLLM's defaults. */
const known = z.strictObject({
  max_tokens: z.int().min(1).default(16),
  min_tokens: z.int().min(0).default(0),
  temperature: z.number().min(0).default(1),
  top_p: z.number().gt(0).max(1).default(1),
  top_k: z.int().min(-1).default(0),
  min_p: z.number().min(0).max(1).default(0),
  repetition_penalty: z.number().gt(0).default(1),
  frequency_penalty: z.number().min(-2).max(2).default(0),
  presence_penalty: z.number().min(-2).max(2).default(0),
  seed: z.int().optional(),
  stop: z.preprocess((stop) => (typeof stop === 'string' ? [stop] : stop), z.array(z.string().min(1))).default([]),
  stop_token_ids: tokenIds.default([]),
  include_stop_str_in_output: flag.default(false),
  ignore_eos: flag.default(false),
  bad_words: z.array(z.string().min(1)).default([]),
  allowed_token_ids: tokenIds.min(1).optional(),
  logit_bias: z
    .record(z.string().regex(/^\d+$/, 'the keys must be token ids'), z.number().min(-100).max(100))
    .default({}),
  logprobs: z.int().min(-1).optional(),
  skip_special_tokens: flag.default(true),
  spaces_between_special_tokens: flag.default(true),
  truncate_prompt_tokens: z.int().min(1).optional(),
  structured_outputs: z.string('must be a JSON string, for example "{\\"json_object\\": true}"').optional(),
  lora_name: z.string().optional(),
  n: z.literal(1, 'must be 1: send one request for each choice').default(1),
  best_of: z.literal(1, 'must be 1').default(1),
  detokenize: z.literal(true, 'must be true: the response is text').default(true),
});

/** The validated sampling parameters of a request, with all defaults. */
export type SamplingParameters = z.infer<typeof known>;

/** Hints for parameters of other engines. */
const hints: Readonly<Record<string, string>> = {
  guided_decoding: 'use structured_outputs',
  guided_json: 'use structured_outputs with the key json',
  prompt_logprobs: 'the embedded engine does not return logprobs of the prompt',
  max_new_tokens: 'use max_tokens',
  stop_words: 'use stop',
};

/** Reads the sampling_parameters tensor; without one, the parameters of the request, as the vLLM backend does. */
export function readSamplingParameters(
  text: string | undefined,
  parameters: Readonly<Record<string, ParameterValue>> = {},
): SamplingParameters {
  const values = text === undefined ? ownParameters(parameters) : parseObject(text);
  // Some clients send null for a missing value.
  const present = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
  const result = known.safeParse(present);
  if (!result.success) throw invalidArgument(describe(result.error));
  const { logprobs, min_tokens: least, max_tokens: most } = result.data;
  if (logprobs !== undefined && (logprobs > mostLogprobs || logprobs < 0))
    throw invalidArgument(
      `Requested sample logprobs of ${logprobs}, which is greater than max allowed: ${mostLogprobs}`,
    );
  if (least > most)
    throw invalidArgument(`sampling_parameters.min_tokens: must be at most max_tokens (${most}), not ${least}.`);
  return result.data;
}

/** Parameters of the protocol itself, not of sampling. */
const protocolParameters = /^(triton_|sequence_|binary_data|priority$|timeout$|traceparent|tracestate|headers?_)/;

function ownParameters(parameters: Readonly<Record<string, ParameterValue>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !protocolParameters.test(name)));
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidArgument('sampling_parameters must be valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidArgument('sampling_parameters must be a JSON object.');
  return value as Record<string, unknown>;
}

function describe({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (issue?.code === 'unrecognized_keys') {
    const name = issue.keys[0] ?? '';
    const hint = hints[name];
    return `sampling_parameters.${name}: not supported; ${hint ?? 'remove this parameter'}.`;
  }
  return `sampling_parameters.${issue?.path.join('.')}: ${issue?.message}.`;
}
