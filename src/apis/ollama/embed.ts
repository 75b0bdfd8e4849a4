import { Readable } from 'node:stream';
import { ApiError } from '../../errors.ts';
import { embed } from '../../generate/embedding.ts';
import type { Endpoint } from '../../http/api.ts';
import { contextFor } from '../../http/model-requests.ts';
import { listOf, number, object, text, whole } from '../../http/openapi/schema-parts.ts';
import { tellIgnored } from '../../http/read-request.ts';
import { requestSignal } from '../../http/request-signal.ts';
import type { RowsServices } from '../../http/send-answer.ts';
import { estimatePrompt } from '../../http/token-estimate.ts';
import type { ModelServices } from '../../http/usable-models.ts';
import { AnswerClock } from './answer-clock.ts';
import { readOllama } from './read-ollama.ts';
import { OllamaEmbeddingsRequest, OllamaEmbedRequest } from './requests.ts';
import { withoutEffect } from './without-effect.ts';

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
    const clock = new AnswerClock();
    const { model, body, unknownFields } = await readOllama(OllamaEmbedRequest, request, reply, services);
    clock.loaded();
    const isList = typeof body.input !== 'string';
    const input = { items: typeof body.input === 'string' ? [body.input] : body.input, isList };
    const wanted = { model: body.model, input, dimensions: body.dimensions };
    const vectors = await embed(wanted, contextFor(request, services.rows), requestSignal(reply));
    tellIgnored(request, reply, [...unknownFields, ...withoutEffect(body)]);
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
    const { body, unknownFields } = await readOllama(OllamaEmbeddingsRequest, request, reply, services);
    const wanted = { model: body.model, input: { items: [body.prompt], isList: false } };
    const { vectors } = await embed(wanted, contextFor(request, services.rows), requestSignal(reply)).catch(ofPrompt);
    tellIgnored(request, reply, [...unknownFields, ...withoutEffect(body)]);
    return { embedding: vectors.flatMap((vector) => Array.from(vector)) };
  },
};

/** Renames `input` in an error: this endpoint calls it `prompt`. */
function ofPrompt(error: unknown): never {
  const fault = ApiError.from(error);
  throw fault.param === 'input' ? fault.renamed('prompt') : fault;
}

/** What the response of POST /api/embed is written from. */
interface EmbedAnswer {
  /** The name in the request. */
  readonly model: string;
  readonly vectors: readonly Float32Array[];
  /** Undefined if not counted. */
  readonly promptTokens: number | undefined;
  readonly clock: AnswerClock;
}

/** The response as JSON, vector by vector: all of them in one string would take much more memory. */
function* embedPieces({ model, vectors, promptTokens, clock }: EmbedAnswer): Generator<string> {
  const { total, load } = clock.durations();
  yield `{"model":${JSON.stringify(model)},"embeddings":[`;
  for (const [index, vector] of vectors.entries()) yield `${index > 0 ? ',' : ''}${JSON.stringify(Array.from(vector))}`;
  const counts = promptTokens === undefined ? '' : `,"prompt_eval_count":${promptTokens}`;
  yield `],"total_duration":${total},"load_duration":${load}${counts}}`;
}
