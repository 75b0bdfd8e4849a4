import type { Attributes } from '@opentelemetry/api';
import type { TracedOutcome, TracedRequest } from './trace.ts';

/** Request fields that become span attributes, with their attribute names. Numbers only: no text of a client is traced. */
const numbers: Readonly<Record<string, string>> = {
  max_tokens: 'gen_ai.request.max_tokens',
  max_completion_tokens: 'gen_ai.request.max_tokens',
  max_output_tokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  top_p: 'gen_ai.request.top_p',
  top_k: 'gen_ai.request.top_k',
  frequency_penalty: 'gen_ai.request.frequency_penalty',
  presence_penalty: 'gen_ai.request.presence_penalty',
  seed: 'gen_ai.request.seed',
  dimensions: 'gen_ai.embeddings.dimension.count',
};

/** The attributes that are known before the response. */
export function requestAttributes(operation: string, { model, request }: TracedRequest): Attributes {
  const attributes: Attributes = {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': 'triton',
    'gen_ai.request.model': model,
  };
  for (const [field, name] of Object.entries(numbers)) {
    const value = request[field];
    if (typeof value === 'number') attributes[name] = value;
  }
  const count = request['n'];
  if (typeof count === 'number' && count !== 1) attributes['gen_ai.request.choice.count'] = count;
  if (request['stream'] === true) attributes['gen_ai.request.stream'] = true;
  return attributes;
}

/** The attributes that are known after the response. */
export function responseAttributes(outcome: TracedOutcome, model: string): Attributes {
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens, responseId, finishReasons } = outcome;
  const { draftTokens, acceptedTokens, engineTimes, cacheHitRate } = outcome;
  return {
    ...(responseId === undefined ? {} : { 'gen_ai.response.id': responseId, 'gen_ai.response.model': model }),
    ...(finishReasons.length > 0 ? { 'gen_ai.response.finish_reasons': [...finishReasons] } : {}),
    ...(inputTokens === undefined ? {} : { 'gen_ai.usage.input_tokens': inputTokens }),
    ...(outputTokens === undefined ? {} : { 'gen_ai.usage.output_tokens': outputTokens }),
    ...(cachedTokens === undefined ? {} : { 'gen_ai.usage.cache_read.input_tokens': cachedTokens }),
    ...(reasoningTokens === undefined ? {} : { 'gen_ai.usage.reasoning.output_tokens': reasoningTokens }),
    ...(draftTokens === undefined ? {} : { 'conch.usage.draft_tokens': draftTokens }),
    ...(acceptedTokens === undefined ? {} : { 'conch.usage.accepted_draft_tokens': acceptedTokens }),
    ...(cacheHitRate === undefined ? {} : { 'conch.engine.cache_hit_ratio': cacheHitRate }),
    ...(engineTimes === undefined
      ? {}
      : {
          'conch.engine.queue_ms': engineTimes.queue,
          'conch.engine.prefill_ms': engineTimes.prefill,
          'conch.engine.decode_ms': engineTimes.decode,
        }),
  };
}
