import { z } from 'zod';
import { list, refused } from './fields.ts';

/** The most documents that one request may carry. */
export const mostDocuments = 2_048;

const text = z.string().min(1, { error: 'must not be empty.' });

const document = z.union([text, z.looseObject({ text })], {
  error: 'must be a text, or an object with one under text.',
});

/** The body of POST /v1/rerank, /rerank and /v2/rerank: the fields of Cohere, Jina and vLLM. */
export const RerankRequest = z.object({
  model: z.string().min(1).max(256),
  query: text,
  documents: list(document, { least: 1, most: mostDocuments }),
  top_n: z.number().int().min(1).nullish(),
  return_documents: z.boolean().nullish(),
  max_tokens_per_doc: z.number().int().min(1).nullish(),
  user: z.string().nullish(),

  rank_fields: refused('documents are scored by their text'),
  max_chunks_per_doc: refused('a document is scored whole; max_tokens_per_doc cuts it'),
  truncate_prompt_tokens: refused('max_tokens_per_doc cuts documents'),
  priority: refused('requests are served in turn', [0]),
  truncation: refused('a document that is too long is refused; max_tokens_per_doc cuts it', [false]),
  return_embeddings: refused('scores alone are returned', [false]),
});

export type RerankRequest = z.output<typeof RerankRequest>;
