import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors.ts';
import { embed } from '../../generate/embedding.ts';
import { contextFor } from '../../http/model-requests.ts';
import { tellIgnored } from '../../http/read-request.ts';
import { requestSignal } from '../../http/request-signal.ts';
import { type GenerateServices, sendAnswer } from '../../http/send-answer.ts';
import type { RowsServices } from '../openai/embeddings-routes.ts';
import type { ModelServices } from '../openai/models-routes.ts';
import { AnswerClock } from './answer-clock.ts';
import { chatShape, generateShape, loadedOf } from './answer-lines.ts';
import { embedPieces } from './embed-answer.ts';
import { ollamaPlan } from './ollama-plan.ts';
import { readOllama } from './read-ollama.ts';
import { OllamaChatRequest, OllamaEmbeddingsRequest, OllamaEmbedRequest, OllamaGenerateRequest } from './requests.ts';
import { chatOf, generationOf } from './to-chat.ts';
import { withoutEffect } from './without-effect.ts';

/** What the routes of Ollama's clients need. */
export type OllamaServices = GenerateServices & RowsServices & ModelServices;

/** POST /api/chat, /api/generate, /api/embed and /api/embeddings, as Ollama's clients ask. */
export function ollamaRoutes(app: FastifyInstance, services: OllamaServices): void {
  const inference = { config: { api: 'inference', takesForms: true } } as const;
  const embedding = { config: { api: 'embedding', takesForms: true } } as const;
  app.post('/api/chat', inference, async (request, reply) => {
    const clock = new AnswerClock();
    const { model, body, unknownFields } = await readOllama(OllamaChatRequest, request, reply, services);
    clock.loaded();
    const place = { model, shape: chatShape, clock };
    if (!body.messages?.length) {
      tellIgnored(request, reply, [...unknownFields, ...withoutEffect(body)]);
      return loaded(body, place, services);
    }
    const plan = ollamaPlan(request, { translated: chatOf(body), unknownFields, place, services });
    return sendAnswer(request, reply, plan);
  });
  app.post('/api/generate', inference, async (request, reply) => {
    const clock = new AnswerClock();
    const { model, body, unknownFields } = await readOllama(OllamaGenerateRequest, request, reply, services);
    clock.loaded();
    const place = { model, shape: generateShape, clock };
    if (!body.prompt && !body.images?.length) {
      tellIgnored(request, reply, [...unknownFields, ...withoutEffect(body)]);
      return loaded(body, place, services);
    }
    const plan = ollamaPlan(request, { translated: generationOf(body), unknownFields, place, services });
    return sendAnswer(request, reply, plan);
  });
  app.post('/api/embed', embedding, async (request, reply) => {
    const clock = new AnswerClock();
    const { model, body, unknownFields } = await readOllama(OllamaEmbedRequest, request, reply, services);
    clock.loaded();
    const isList = typeof body.input !== 'string';
    const input = { items: typeof body.input === 'string' ? [body.input] : body.input, isList };
    const wanted = { model: body.model, input, dimensions: body.dimensions };
    const vectors = await embed(wanted, contextFor(request, services.rows), requestSignal(reply));
    tellIgnored(request, reply, [...unknownFields, ...withoutEffect(body)]);
    return reply.type('application/json; charset=utf-8').send(Readable.from(embedPieces({ model, ...vectors, clock })));
  });
  app.post('/api/embeddings', embedding, async (request, reply) => {
    const { body, unknownFields } = await readOllama(OllamaEmbeddingsRequest, request, reply, services);
    const wanted = { model: body.model, input: { items: [body.prompt], isList: false } };
    const { vectors } = await embed(wanted, contextFor(request, services.rows), requestSignal(reply)).catch(ofPrompt);
    tellIgnored(request, reply, [...unknownFields, ...withoutEffect(body)]);
    return { embedding: vectors.flatMap((vector) => Array.from(vector)) };
  });
}

/** A request without a prompt asks for its model alone, which is there by now; or that it be unloaded. */
function loaded(
  { model, keep_alive: keepAlive }: Pick<OllamaChatRequest, 'model' | 'keep_alive'>,
  place: Parameters<typeof loadedOf>[0],
  { generate }: OllamaServices,
) {
  const { name } = generate.findModel(model);
  if (keepAlive === 0 || /^0[a-z]*$/.test(String(keepAlive)))
    throw new ApiError(
      'unsupported_parameter',
      `keep_alive: models are not unloaded from here; send POST /v1/models/${name}/unload.`,
      { param: 'keep_alive' },
    );
  return loadedOf(place);
}

/** A fault of the input, which is the prompt here. */
function ofPrompt(error: unknown): never {
  const fault = ApiError.from(error);
  throw fault.param === 'input' ? fault.renamed('prompt') : fault;
}
