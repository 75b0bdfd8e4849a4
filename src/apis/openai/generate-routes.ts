import type { FastifyInstance } from 'fastify';
import { chat } from '../../generate/chat.ts';
import { complete } from '../../generate/completion.ts';
import { contextFor } from '../../http/model-requests.ts';
import { readRequest } from '../../http/read-request.ts';
import { type AnswerPlan, type GenerateServices, sendAnswer } from '../../http/send-answer.ts';
import { ChatRequest } from '../../requests/chat-request.ts';
import { CompletionRequest } from '../../requests/completion-request.ts';
import { AnswerChunks } from './chunks.ts';
import { collect } from './collect.ts';
import { type AnswerShape, chatShape, completionShape } from './shapes.ts';

/** How chats and completions are written. */
function writtenAs(shape: AnswerShape): Pick<AnswerPlan, 'writer' | 'whole'> {
  return {
    writer: ({ options }) => new AnswerChunks(shape, options),
    whole: ({ events, options }) => collect(events, shape, options),
  };
}

const chatWriting = writtenAs(chatShape);
const completionWriting = writtenAs(completionShape);

/** POST /v1/chat/completions and /v1/completions, streamed and not. */
export function generateRoutes(app: FastifyInstance, services: GenerateServices): void {
  const options = { config: { api: 'inference' } } as const;
  app.post('/v1/chat/completions', options, async (request, reply) => {
    const { request: body, unknownFields } = await readRequest(ChatRequest, request, reply, services);
    const begin = (signal: AbortSignal) => chat(body, contextFor(request, services.generate), signal);
    return sendAnswer(request, reply, { unknownFields, begin, ...chatWriting });
  });
  app.post('/v1/completions', options, async (request, reply) => {
    const { request: body, unknownFields } = await readRequest(CompletionRequest, request, reply, services);
    const begin = (signal: AbortSignal) => complete(body, contextFor(request, services.generate), signal);
    return sendAnswer(request, reply, { unknownFields, begin, ...completionWriting });
  });
}
