import type { Endpoint } from './load/messages.ts';
import type { Prompt } from './prompts.ts';

/** How requests are written. */
export interface BodyOptions {
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly isStreaming: boolean;
  /** The name of the field that bounds the answer. */
  readonly limitField: 'max_tokens' | 'max_completion_tokens';
  /** The server is asked to go on to the bound: fields of vLLM, which other servers know too. */
  readonly ignoresEnd: boolean;
  /** Fields that are set last. */
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
