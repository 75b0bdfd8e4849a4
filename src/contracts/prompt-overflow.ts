import { ApiError, type TokenOverflow } from '../errors.ts';

/**
 * The error for a prompt that does not fit into the context. Clients such as LiteLLM recognize OpenAI's words for the
 * limit, and then try another model or shorten the conversation.
 */
export function contextExceeded(overflow: TokenOverflow, param: string): ApiError {
  const { promptTokens, limit } = overflow;
  const message = `This model's maximum context length is ${limit} tokens. The prompt has ${promptTokens}. Shorten it.`;
  return new ApiError('context_length_exceeded', message, { param, overflow });
}
