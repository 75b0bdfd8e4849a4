import { z } from 'zod';
import { isJsonObject } from '../../json-object.ts';
import { ignoredField, list, unsupportedField } from '../../requests/fields.ts';
import { mostStops } from '../../requests/sampling.ts';
import { message, mostBlocks, ofTypes, systemContent } from './blocks.ts';
import { toolFields } from './tools.ts';

const format = z.object({
  type: z.literal('json_schema', { error: 'must be json_schema' }),
  schema: z.custom<Record<string, unknown>>(isJsonObject, 'must be a JSON schema object'),
});

/** How reasoning is returned. The default is summarized. */
const display = z.enum(['summarized', 'omitted'], { error: 'must be summarized or omitted' }).nullish();

const thinking = ofTypes(
  ['enabled', 'disabled', 'adaptive'],
  (type) => `thinking of type ${JSON.stringify(type)} is not supported; send enabled, disabled or adaptive`,
).pipe(
  z.discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('enabled'), budget_tokens: z.number().int().min(1), display }),
      z.object({ type: z.literal('disabled') }),
      z.object({ type: z.literal('adaptive'), display }),
    ],
    { error: 'type must be enabled, disabled or adaptive' },
  ),
);

/** The body of POST /v1/messages/count_tokens: Anthropic's fields that affect the prompt. */
export const CountTokensRequest = z.object({
  ...toolFields,
  model: z.string().min(1).max(256),
  messages: list(message, { least: 1, most: mostBlocks }),
  system: systemContent.nullish(),
  thinking: thinking.nullish(),
  output_config: z
    .object({
      effort: z
        .enum(['low', 'medium', 'high', 'xhigh', 'max'], { error: 'must be low, medium, high, xhigh or max' })
        .nullish(),
      format: format.nullish(),
    })
    .nullish(),
  output_format: format.nullish(),
  cache_control: z.looseObject({}).nullish(),

  speed: unsupportedField('must be standard; other speeds are not supported', ['standard']),
  context_management: ignoredField('context editing is not supported; shorten the messages'),
  mcp_servers: unsupportedField('MCP servers are not supported; send their tools as custom tools'),
});

export type CountTokensRequest = z.output<typeof CountTokensRequest>;

/** The body of POST /v1/messages: every field of Anthropic's. */
export const MessagesRequest = CountTokensRequest.extend({
  max_tokens: z.number().int().min(1),
  stop_sequences: list(z.string().min(1, 'a stop sequence must not be empty'), { most: mostStops }).nullish(),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.number().int().min(0).nullish(),
  metadata: z.looseObject({ user_id: z.string().max(512).nullish() }).nullish(),
  service_tier: unsupportedField('must be auto or standard_only; other service tiers are not supported', [
    'auto',
    'standard_only',
  ]),

  container: unsupportedField('containers are not supported'),
  compaction: unsupportedField('compaction is not supported; shorten the messages'),
  thread: unsupportedField('threads are not supported; send all messages'),
  fallbacks: unsupportedField('fallback models are not supported; only the requested model responds'),
  fallback_credit_token: unsupportedField('fallback models are not supported; only the requested model responds'),
  inference_geo: unsupportedField('the inference region cannot be chosen'),
  diagnostics: ignoredField('cache misses are not diagnosed'),
});

export type MessagesRequest = z.output<typeof MessagesRequest>;

/** The response of POST /v1/messages/count_tokens. */
export function tokenCount(inputTokens: number): { input_tokens: number } {
  return { input_tokens: inputTokens };
}
