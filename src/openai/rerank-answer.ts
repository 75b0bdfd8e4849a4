/** What the answer of a rerank is written from. */
export interface RerankAnswer {
  readonly id: string;
  readonly model: string;
  /** The best first. */
  readonly results: readonly { readonly index: number; readonly score: number }[];
  /** The texts of all documents, where they are wanted back. */
  readonly documents: readonly string[] | undefined;
  /** Undefined where nobody counted. */
  readonly tokens: number | undefined;
}

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
