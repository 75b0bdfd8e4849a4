import { z } from 'zod';
import { list, unsupportedField } from './fields.ts';
import { samplingFields } from './sampling.ts';
import { structureFields } from './structure.ts';
import { tokenId } from './token-id.ts';

const ids = list(tokenId, { least: 1, most: 10_000_000 });

/** Maximum number of prompts per request. */
const mostPrompts = 1024;

/** The body of POST /v1/completions: every field of OpenAI's and of vLLM's. */
export const CompletionRequest = z.object({
  ...samplingFields,
  ...structureFields,
  model: z.string().min(1).max(256),
  prompt: z.union(
    [z.string(), list(z.string(), { least: 1, most: mostPrompts }), ids, list(ids, { least: 1, most: mostPrompts })],
    { error: 'must be a string, an array of strings, an array of token ids or an array of token id arrays' },
  ),
  best_of: z.number().int().min(1).max(20).nullish(),
  echo: z.boolean().nullish(),
  logprobs: z.number().int().min(0).max(20).nullish(),
  add_special_tokens: z.boolean().nullish(),

  suffix: unsupportedField('the backend can only continue text at its end'),
  prompt_embeds: unsupportedField('prompt embeddings are not supported; send prompt as text or token ids'),
  messages: unsupportedField('only supported by /v1/chat/completions; send prompt instead'),
  max_completion_tokens: unsupportedField('only supported by /v1/chat/completions; send max_tokens instead'),
  top_logprobs: unsupportedField('only supported by /v1/chat/completions; send logprobs as a number instead'),
});

export type CompletionRequest = z.output<typeof CompletionRequest>;
