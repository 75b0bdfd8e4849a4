import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { embed, type RowsContext } from '../../generate/embedding.ts';
import { embeddingPieces } from '../../openai/embedding-answer.ts';
import { EmbeddingRequest } from '../../openai/embedding-request.ts';
import { contextFor } from '../model-requests.ts';
import { type RequestServices, readRequest, tellIgnored } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';

/** What the routes of vectors and scores need. */
export interface RowsServices extends RequestServices {
  readonly rows: Omit<RowsContext, 'watch'>;
}

/** POST /v1/embeddings. */
export function embeddingRoutes(app: FastifyInstance, services: RowsServices): void {
  app.post('/v1/embeddings', { config: { api: 'embedding' } }, async (request, reply) => {
    const { request: body, unknownFields } = await readRequest(EmbeddingRequest, request, reply, services);
    const { vectors, promptTokens } = await embed(body, contextFor(request, services.rows), requestSignal(reply));
    tellIgnored(request, reply, unknownFields);
    const encoding = body.encoding_format ?? 'float';
    const pieces = embeddingPieces({ model: body.model, vectors, encoding, promptTokens });
    return reply.type('application/json; charset=utf-8').send(Readable.from(pieces));
  });
}
