import { z } from 'zod';
import { list, refused } from './fields.ts';
import { samplingFields } from './sampling.ts';
import { structureFields } from './structure.ts';

const ids = list(z.number().int().min(0), { least: 1, most: 10_000_000 });

/** The most prompts that one request may carry. */
const mostPrompts = 1024;

/** The body of POST /v1/completions: every field of OpenAI's and of vLLM's. */
export const CompletionRequest = z.object({
  ...samplingFields,
  ...structureFields,
  model: z.string().min(1).max(256),
  prompt: z.union(
    [z.string(), list(z.string(), { least: 1, most: mostPrompts }), ids, list(ids, { least: 1, most: mostPrompts })],
    { error: 'must be a text, a list of texts, a list of token ids or a list of such lists' },
  ),
  best_of: z.number().int().min(1).max(20).nullish(),
  echo: z.boolean().nullish(),
  logprobs: z.number().int().min(0).max(20).nullish(),

  add_special_tokens: refused('the server adds special tokens itself', [true]),
  suffix: refused('the backend completes text at its end only'),
  prompt_embeds: refused('prompts are texts or token ids'),
  messages: refused('it belongs to /v1/chat/completions; send a prompt'),
  max_completion_tokens: refused('it belongs to /v1/chat/completions; send max_tokens'),
  top_logprobs: refused('it belongs to /v1/chat/completions; send logprobs as a number'),
});

export type CompletionRequest = z.output<typeof CompletionRequest>;
