import type { RerankAnswer } from '../../generate/rerank.ts';

/** The answer with the members that Cohere's, Jina's and vLLM's clients read. */
export function rerankBody({ id, model, results, documents, tokens }: RerankAnswer, apiVersion: '1' | '2'): object {
  const version = { api_version: { version: apiVersion } };
  return {
    id,
    model,
    results: results.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(documents ? { document: { text: documents[index] } } : {}),
    })),
    meta: tokens === undefined ? version : { ...version, tokens: { input_tokens: tokens } },
    usage: tokens === undefined ? null : { prompt_tokens: tokens, total_tokens: tokens },
  };
}
