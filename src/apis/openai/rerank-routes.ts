import type { FastifyInstance } from 'fastify';
import { rerank } from '../../generate/rerank.ts';
import { contextFor } from '../../http/model-requests.ts';
import { readRequest, tellIgnored } from '../../http/read-request.ts';
import { requestSignal } from '../../http/request-signal.ts';
import { RerankRequest } from '../../requests/rerank-request.ts';
import type { RowsServices } from './embeddings-routes.ts';
import { rerankBody } from './rerank-answer.ts';

/** The paths of Jina and Cohere's first API, of vLLM, and of Cohere's second API. */
const paths = ['/v1/rerank', '/rerank', '/v2/rerank'];

/** POST /v1/rerank, /rerank and /v2/rerank. */
export function rerankRoutes(app: FastifyInstance, services: RowsServices): void {
  for (const path of paths)
    app.post(path, { config: { api: 'embedding' } }, async (request, reply) => {
      const { request: body, unknownFields } = await readRequest(RerankRequest, request, reply, services);
      const answer = await rerank(body, contextFor(request, services.rows), requestSignal(reply));
      tellIgnored(request, reply, unknownFields);
      return rerankBody(answer, path.startsWith('/v2') ? '2' : '1');
    });
}
