import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import type { CompletionCreateParams } from 'openai/resources/completions';
import { directive } from '../support/exchange.ts';

/** A value of OpenAI's reference that is sent with all others, or one that is refused and sent alone. */
export type Sent = { readonly together: unknown } | { readonly alone: unknown };

const echo = directive({ echo_parameters: true });

/** A value for every field of OpenAI's chat reference, by its own package: a field that is new there is a type error. */
export const chatReference: Record<keyof ChatCompletionCreateParams, Sent> = {
  model: { together: 'vllm-toy' },
  messages: { together: [{ role: 'user', content: echo }] },
  audio: { alone: { voice: 'alloy', format: 'mp3' } },
  frequency_penalty: { together: 0.5 },
  function_call: { together: 'none' },
  functions: { alone: [{ name: 'f' }] },
  logit_bias: { alone: { '5': 1 } },
  logprobs: { together: true },
  max_completion_tokens: { together: 400 },
  max_tokens: { together: 400 },
  metadata: { together: { topic: 'tea' } },
  modalities: { together: ['text'] },
  moderation: { alone: {} },
  n: { together: 2 },
  parallel_tool_calls: { together: true },
  prediction: { alone: { type: 'content', content: 'x' } },
  presence_penalty: { together: -0.5 },
  prompt_cache_key: { together: 'x' },
  prompt_cache_options: { together: { mode: 'implicit', ttl: '30m' } },
  prompt_cache_retention: { together: '24h' },
  reasoning_effort: { together: 'low' },
  response_format: { together: { type: 'text' } },
  safety_identifier: { together: 'x' },
  seed: { together: 7 },
  service_tier: { together: 'auto' },
  stop: { together: ['END'] },
  store: { together: false },
  stream: { together: true },
  stream_options: { together: { include_usage: true, include_obfuscation: false } },
  temperature: { together: 0.25 },
  tool_choice: { together: 'none' },
  tools: { together: [{ type: 'function', function: { name: 'f' } }] },
  top_logprobs: { together: 3 },
  top_p: { together: 0.5 },
  user: { together: 'me' },
  verbosity: { together: 'medium' },
  web_search_options: { alone: {} },
};

/** A value for every field of OpenAI's completions reference. */
export const completionReference: Record<keyof CompletionCreateParams, Sent> = {
  model: { together: 'vllm-toy' },
  prompt: { together: echo },
  best_of: { together: 2 },
  echo: { together: false },
  frequency_penalty: { together: 0.5 },
  logit_bias: { alone: { '5': 1 } },
  logprobs: { together: 3 },
  max_tokens: { together: 400 },
  n: { together: 2 },
  presence_penalty: { together: -0.5 },
  seed: { together: 7 },
  stop: { together: ['END'] },
  stream: { together: true },
  stream_options: { together: { include_usage: true } },
  suffix: { alone: 'x' },
  temperature: { together: 0.25 },
  top_p: { together: 0.5 },
  user: { together: 'me' },
};
