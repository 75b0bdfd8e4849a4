import { type RerankResult, rerank } from '../../generate/rerank.ts';
import type { Endpoint } from '../../http/api.ts';
import { contextFor } from '../../http/model-requests.ts';
import { anyObject, listOf, number, object, orNull, text, usage, whole } from '../../http/openapi/schema-parts.ts';
import { readRequest, reportIgnored } from '../../http/read-request.ts';
import { requestSignal } from '../../http/request-signal.ts';
import type { RowsServices } from '../../http/send-response.ts';
import { estimatePrompt } from '../../http/token-estimate.ts';
import { RerankRequest } from '../../requests/rerank-request.ts';

/** The path of Cohere's second API. */
const secondPath = '/v2/rerank';

/** POST /v1/rerank for Jina's clients and Cohere's first API, /rerank for vLLM's, /v2/rerank for Cohere's second. */
export const rerankEndpoint: Endpoint<RowsServices> = {
  methods: ['POST'],
  paths: ['/v1/rerank', '/rerank', secondPath],
  group: 'embedding',
  operation: 'rerank',
  estimate: estimatePrompt,
  operations: [
    {
      tag: 'vectors',
      summary: 'Ranks documents by their relevance to a query.',
      request: { name: 'RerankRequest', schema: RerankRequest },
      response: {
        name: 'Ranking',
        schema: object({
          id: text,
          model: text,
          results: listOf(object({ index: whole, relevance_score: number }, { document: object({ text }) })),
          meta: anyObject,
          usage: orNull(usage),
        }),
      },
      example: { model: 'ranker', query: 'sky', documents: ['The sky is blue.', 'Grass is green.'] },
    },
  ],
  handler: (services, path) => async (request, reply) => {
    const { request: body, ignoredFields } = await readRequest(RerankRequest, request, reply, services);
    const ranking = await rerank(body, contextFor(request, services.rows), requestSignal(reply));
    reportIgnored(request, reply, ignoredFields);
    return rerankBody(ranking, path === secondPath ? '2' : '1');
  },
};

/** The response, with the members that clients of Cohere, Jina and vLLM read. */
function rerankBody({ id, model, results, documents, tokens }: RerankResult, apiVersion: '1' | '2'): object {
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
