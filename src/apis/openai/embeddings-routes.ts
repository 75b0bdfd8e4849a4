import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { embed } from '../../generate/embedding.ts';
import type { RowsContext } from '../../generate/rows.ts';
import { contextFor } from '../../http/model-requests.ts';
import { type RequestServices, readRequest, tellIgnored } from '../../http/read-request.ts';
import { requestSignal } from '../../http/request-signal.ts';
import { EmbeddingRequest } from '../../requests/embedding-request.ts';
import { embeddingPieces } from './embedding-answer.ts';

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
