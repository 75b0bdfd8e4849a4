import { Readable } from 'node:stream';
import { embed } from '../../generate/embedding.ts';
import type { Endpoint } from '../../http/api.ts';
import { contextFor } from '../../http/model-requests.ts';
import { constant, listOf, number, object, orNull, text, usage, whole } from '../../http/openapi/schema-parts.ts';
import { readRequest, tellIgnored } from '../../http/read-request.ts';
import { requestSignal } from '../../http/request-signal.ts';
import type { RowsServices } from '../../http/send-answer.ts';
import { estimatePrompt } from '../../http/token-estimate.ts';
import { EmbeddingRequest } from '../../requests/embedding-request.ts';

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
      summary: 'Gives the vectors of texts.',
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
    const { request: body, unknownFields } = await readRequest(EmbeddingRequest, request, reply, services);
    const { vectors, promptTokens } = await embed(body, contextFor(request, services.rows), requestSignal(reply));
    tellIgnored(request, reply, unknownFields);
    const encoding = body.encoding_format ?? 'float';
    const pieces = embeddingPieces({ model: body.model, vectors, encoding, promptTokens });
    return reply.type('application/json; charset=utf-8').send(Readable.from(pieces));
  },
};

/** What the answer of POST /v1/embeddings is written from. */
interface EmbeddingAnswer {
  readonly model: string;
  readonly vectors: readonly Float32Array[];
  readonly encoding: 'float' | 'base64';
  /** Undefined where nobody counted. */
  readonly promptTokens: number | undefined;
}

/** The answer as JSON, vector by vector: all of them as one text would take many times the room. */
function* embeddingPieces({ model, vectors, encoding, promptTokens }: EmbeddingAnswer): Generator<string> {
  yield '{"object":"list","data":[';
  for (const [index, vector] of vectors.entries()) {
    const embedding = encoding === 'base64' ? base64Of(vector) : Array.from(vector);
    yield `${index > 0 ? ',' : ''}${JSON.stringify({ object: 'embedding', index, embedding })}`;
  }
  const usage = promptTokens === undefined ? null : { prompt_tokens: promptTokens, total_tokens: promptTokens };
  yield `],"model":${JSON.stringify(model)},"usage":${JSON.stringify(usage)}}`;
}

/** 32-bit numbers, little-endian. */
function base64Of(vector: Float32Array): string {
  const bytes = Buffer.allocUnsafe(vector.length * 4);
  vector.forEach((figure, at) => bytes.writeFloatLE(figure, at * 4));
  return bytes.toString('base64');
}
