import type { FastifyInstance } from 'fastify';
import { chat } from '../../generate/chat.ts';
import { complete } from '../../generate/completion.ts';
import { ChatRequest } from '../../openai/chat-request.ts';
import { AnswerChunks } from '../../openai/chunks.ts';
import { collect } from '../../openai/collect.ts';
import { CompletionRequest } from '../../openai/completion-request.ts';
import { contextFor } from '../model-requests.ts';
import { readRequest } from '../read-request.ts';
import { type AnswerPlan, type GenerateServices, sendAnswer } from '../send-answer.ts';

/** How chats and completions are written. */
const written: Pick<AnswerPlan, 'writer' | 'whole'> = {
  writer: ({ options }) => new AnswerChunks(options),
  whole: ({ events, options }) => collect(events, options),
};

/** POST /v1/chat/completions and /v1/completions, streamed and not. */
export function generateRoutes(app: FastifyInstance, services: GenerateServices): void {
  const options = { config: { api: 'inference' } } as const;
  app.post('/v1/chat/completions', options, async (request, reply) => {
    const { request: body, unknownFields } = await readRequest(ChatRequest, request, reply, services);
    const begin = (signal: AbortSignal) => chat(body, contextFor(request, services.generate), signal);
    return sendAnswer(request, reply, { unknownFields, begin, ...written });
  });
  app.post('/v1/completions', options, async (request, reply) => {
    const { request: body, unknownFields } = await readRequest(CompletionRequest, request, reply, services);
    const begin = (signal: AbortSignal) => complete(body, contextFor(request, services.generate), signal);
    return sendAnswer(request, reply, { unknownFields, begin, ...written });
  });
}
