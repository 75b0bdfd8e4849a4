import type { TokenUsage } from '../../contracts/events.ts';
import type { CompletionHead } from '../../generate/completion-options.ts';
import { anyObject, constant, listOf, orNull, text, whole } from '../../http/openapi/schema-parts.ts';

/** Token counts as OpenAI names them. */
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  /** Only if the backend reports how many prompt tokens it had cached. */
  readonly prompt_tokens_details?: { readonly cached_tokens: number };
  /** Only if there was reasoning, or the backend reports speculative decoding. */
  readonly completion_tokens_details?: {
    readonly reasoning_tokens?: number;
    readonly accepted_prediction_tokens?: number;
    readonly rejected_prediction_tokens?: number;
  };
}

export function usageOf(usage: TokenUsage): Usage {
  const { promptTokens, completionTokens, cachedTokens } = usage;
  const details = completionDetails(usage);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(cachedTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    ...(details ? { completion_tokens_details: details } : {}),
  };
}

function completionDetails(usage: TokenUsage): Usage['completion_tokens_details'] {
  const { reasoningTokens, draftTokens, acceptedTokens = 0 } = usage;
  if (reasoningTokens === undefined && draftTokens === undefined) return undefined;
  return {
    ...(reasoningTokens === undefined ? {} : { reasoning_tokens: reasoningTokens }),
    ...(draftTokens === undefined
      ? {}
      : { accepted_prediction_tokens: acceptedTokens, rejected_prediction_tokens: draftTokens - acceptedTokens }),
  };
}

/** The first members of all responses and chunks, in OpenAI's order. */
export function headFields(head: CompletionHead, object: string): Record<string, unknown> {
  return {
    id: head.id,
    object,
    created: head.created,
    model: head.model,
    ...(head.serviceTier === undefined ? {} : { service_tier: head.serviceTier }),
    system_fingerprint: head.fingerprint,
  };
}

/** An event of a server-sent stream. */
export function eventOf(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export const streamEnd = 'data: [DONE]\n\n';

/** The schema of those members. */
export function headSchema(kind: string) {
  return { id: text, object: constant(kind), created: whole, model: text };
}

/** The schema of the members about a prompt, which a request asks for. */
export const promptSchema = { prompt_token_ids: listOf(whole), prompt_logprobs: listOf(orNull(anyObject)) };
