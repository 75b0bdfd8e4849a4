import type { Endpoint } from './load/messages.ts';
import type { Prompt } from './prompts.ts';

/** What all request bodies have in common. */
export interface BodyOptions {
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly isStreaming: boolean;
  /** The field with the token limit. */
  readonly limitField: 'max_tokens' | 'max_completion_tokens';
  /** Generate up to the token limit: `ignore_eos` and `min_tokens` of vLLM, which other servers support too. */
  readonly ignoresEnd: boolean;
  /** More fields. They override the others. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The JSON of one request. */
export function requestBody({ text, outputTokens }: Prompt, options: BodyOptions): string {
  const { endpoint, model, isStreaming, limitField, ignoresEnd, extra } = options;
  if (endpoint === 'embeddings') return JSON.stringify({ model, input: text, ...extra });
  return JSON.stringify({
    model,
    ...(endpoint === 'chat' ? { messages: [{ role: 'user', content: text }] } : { prompt: text }),
    [limitField]: outputTokens,
    ...(ignoresEnd ? { ignore_eos: true, min_tokens: outputTokens } : {}),
    ...(isStreaming ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...extra,
  });
}
