import { z } from 'zod';
import { list, unsupportedField } from './fields.ts';

/** Maximum number of documents per request. */
export const mostDocuments = 2_048;

const text = z.string().min(1, { error: 'must not be empty.' });

const document = z.union([text, z.looseObject({ text })], {
  error: 'must be a string or an object with a text field.',
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

  rank_fields: unsupportedField('not supported; documents are ranked by their text'),
  max_chunks_per_doc: unsupportedField('documents are scored as a whole; truncate them with max_tokens_per_doc'),
  truncate_prompt_tokens: unsupportedField('not supported; truncate documents with max_tokens_per_doc'),
  priority: unsupportedField('priorities are not supported; requests are served in turn', [0]),
  truncation: unsupportedField('documents that are too long are rejected; truncate them with max_tokens_per_doc', [
    false,
  ]),
  return_embeddings: unsupportedField('only scores are returned', [false]),
});

export type RerankRequest = z.output<typeof RerankRequest>;
