import { z } from 'zod';
import { EmbeddingRequest } from './embedding-request.ts';
import { unsupportedField } from './fields.ts';

const byModel = 'configured per model, not per request (docs/embeddings.md)';

/** vLLM's fields that classify and score requests share. */
export const classFields = {
  model: EmbeddingRequest.shape.model,
  user: EmbeddingRequest.shape.user,
  truncate_prompt_tokens: EmbeddingRequest.shape.truncate_prompt_tokens,
  priority: EmbeddingRequest.shape.priority,
  activation: unsupportedField(byModel, [true]),
  softmax: unsupportedField(byModel, [true]),
  use_activation: unsupportedField(byModel, [true]),
};

/** The body of POST /v1/classify and /classify: the fields of vLLM. */
export const ClassifyRequest = z.object({
  ...classFields,
  input: EmbeddingRequest.shape.input,
  messages: EmbeddingRequest.shape.messages,
  add_special_tokens: EmbeddingRequest.shape.add_special_tokens,
});
