import { Readable } from 'node:stream';
import { ApiError } from '../../errors.ts';
import { embed } from '../../generate/embedding.ts';
import type { Endpoint } from '../../http/api.ts';
import { contextFor } from '../../http/model-requests.ts';
import { listOf, number, object, text, whole } from '../../http/openapi/schema-parts.ts';
import { reportIgnored } from '../../http/read-request.ts';
import { requestSignal } from '../../http/request-signal.ts';
import type { RowsServices } from '../../http/send-response.ts';
import { estimatePrompt } from '../../http/token-estimate.ts';
import type { ModelServices } from '../../http/usable-models.ts';
import { readOllama } from './read-ollama.ts';
import { OllamaEmbeddingsRequest, OllamaEmbedRequest } from './requests.ts';
import { ResponseClock } from './response-clock.ts';
import { unusedFields } from './unused-fields.ts';

type EmbedServices = RowsServices & ModelServices;

/** POST /api/embed. */
export const embedEndpoint: Endpoint<EmbedServices> = {
  methods: ['POST'],
  paths: ['/api/embed'],
  group: 'embedding',
  operation: 'embeddings',
  takesForms: true,
  estimate: estimatePrompt,
  operations: [
    {
      tag: 'ollama',
      summary: 'Creates embeddings of texts (Ollama API).',
      request: { name: 'OllamaEmbedRequest', schema: OllamaEmbedRequest },
      response: {
        name: 'OllamaEmbeddings',
        schema: object(
          { model: text, embeddings: listOf(listOf(number)), total_duration: whole, load_duration: whole },
          { prompt_eval_count: whole },
        ),
      },
      example: { model: 'minilm', input: ['a text', 'another'] },
    },
  ],
  handler: (services) => async (request, reply) => {
    const clock = new ResponseClock();
    const { model, body, ignoredFields } = await readOllama(OllamaEmbedRequest, request, reply, services);
    clock.loaded();
    const isList = typeof body.input !== 'string';
    const input = { items: typeof body.input === 'string' ? [body.input] : body.input, isList };
    const embedRequest = { model: body.model, input, dimensions: body.dimensions };
    const vectors = await embed(embedRequest, contextFor(request, services.rows), requestSignal(reply));
    reportIgnored(request, reply, [...ignoredFields, ...unusedFields(body)]);
    return reply.type('application/json; charset=utf-8').send(Readable.from(embedPieces({ model, ...vectors, clock })));
  },
};

/** POST /api/embeddings, which /api/embed replaced. */
export const embeddingsEndpoint: Endpoint<EmbedServices> = {
  methods: ['POST'],
  paths: ['/api/embeddings'],
  group: 'embedding',
  operation: 'embeddings',
  takesForms: true,
  estimate: estimatePrompt,
  operations: [
    {
      tag: 'ollama',
      summary: 'Creates the embedding of a text (older Ollama API).',
      request: { name: 'OllamaEmbeddingsRequest', schema: OllamaEmbeddingsRequest },
      response: { name: 'OllamaEmbedding', schema: object({ embedding: listOf(number) }) },
      example: { model: 'minilm', prompt: 'a text' },
    },
  ],
  handler: (services) => async (request, reply) => {
    const { body, ignoredFields } = await readOllama(OllamaEmbeddingsRequest, request, reply, services);
    const embedRequest = { model: body.model, input: { items: [body.prompt], isList: false } };
    const { vectors } = await embed(embedRequest, contextFor(request, services.rows), requestSignal(reply)).catch(
      rethrowForPrompt,
    );
    reportIgnored(request, reply, [...ignoredFields, ...unusedFields(body)]);
    return { embedding: vectors.flatMap((vector) => Array.from(vector)) };
  },
};

/** Renames `input` in an error: this endpoint calls it `prompt`. */
function rethrowForPrompt(error: unknown): never {
  const apiError = ApiError.from(error);
  throw apiError.param === 'input' ? apiError.renamed('prompt') : apiError;
}

/** What the response of POST /api/embed is written from. */
interface EmbedResponse {
  /** The name in the request. */
  readonly model: string;
  readonly vectors: readonly Float32Array[];
  /** Undefined if not counted. */
  readonly promptTokens: number | undefined;
  readonly clock: ResponseClock;
}

/** The response as JSON, vector by vector: all of them in one string would take much more memory. */
function* embedPieces({ model, vectors, promptTokens, clock }: EmbedResponse): Generator<string> {
  const { total, load } = clock.durations();
  yield `{"model":${JSON.stringify(model)},"embeddings":[`;
  for (const [index, vector] of vectors.entries()) yield `${index > 0 ? ',' : ''}${JSON.stringify(Array.from(vector))}`;
  const counts = promptTokens === undefined ? '' : `,"prompt_eval_count":${promptTokens}`;
  yield `],"total_duration":${total},"load_duration":${load}${counts}}`;
}
