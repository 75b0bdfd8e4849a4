import { embed } from '../../generate/embedding.ts';
import type { Endpoint } from '../../http/api.ts';
import { contextFor } from '../../http/model-requests.ts';
import { constant, listOf, number, object, orNull, text, usage, whole } from '../../http/openapi/schema-parts.ts';
import { readRequest, reportIgnored } from '../../http/read-request.ts';
import { requestSignal } from '../../http/request-signal.ts';
import type { RowsServices } from '../../http/send-response.ts';
import { estimatePrompt } from '../../http/token-estimate.ts';
import { EmbeddingRequest } from '../../requests/embedding-request.ts';
import { sendList } from './list.ts';

const embedding = { anyOf: [listOf(number), text] };

/** POST /v1/embeddings. */
export const embeddingsEndpoint: Endpoint<RowsServices> = {
  methods: ['POST'],
  paths: ['/v1/embeddings'],
  group: 'embedding',
  operation: 'embeddings',
  estimate: estimatePrompt,
  operations: [
    {
      tag: 'vectors',
      summary: 'Creates embeddings of texts.',
      request: { name: 'EmbeddingRequest', schema: EmbeddingRequest },
      response: {
        name: 'Embeddings',
        schema: object({
          object: constant('list'),
          data: listOf(object({ object: constant('embedding'), index: whole, embedding })),
          model: text,
          usage: orNull(usage),
        }),
      },
      example: { model: 'minilm', input: ['a text', 'another'] },
    },
  ],
  handler: (services) => async (request, reply) => {
    const { request: body, ignoredFields } = await readRequest(EmbeddingRequest, request, reply, services);
    const { vectors, promptTokens } = await embed(body, contextFor(request, services.rows), requestSignal(reply));
    reportIgnored(request, reply, ignoredFields);
    const encode = body.encoding_format === 'base64' ? base64Of : (vector: Float32Array) => Array.from(vector);
    return sendList(reply, {
      head: { object: 'list' },
      rows: vectors,
      entry: (vector, index) => ({ object: 'embedding', index, embedding: encode(vector) }),
      tail: {
        model: body.model,
        usage: promptTokens === undefined ? null : { prompt_tokens: promptTokens, total_tokens: promptTokens },
      },
    });
  },
};

/** 32-bit numbers, little-endian. */
function base64Of(vector: Float32Array): string {
  const bytes = Buffer.allocUnsafe(vector.length * 4);
  vector.forEach((figure, at) => bytes.writeFloatLE(figure, at * 4));
  return bytes.toString('base64');
}
