import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.ts';
import type { Answer, GenerateContext } from '../../generate/answer.ts';
import { chat } from '../../generate/chat.ts';
import { complete } from '../../generate/completion.ts';
import { structuredHeader } from '../../generate/structured-emulation.ts';
import { ChatRequest } from '../../openai/chat-request.ts';
import { AnswerChunks } from '../../openai/chunks.ts';
import { collect } from '../../openai/collect.ts';
import { CompletionRequest } from '../../openai/completion-request.ts';
import { type Parsed, parseRequest } from '../../openai/fields.ts';
import { sendEvents } from '../events.ts';
import { ignoredHeader, mostNamed } from '../ignored-header.ts';
import { requestSignal } from '../request-signal.ts';

/** What the generating routes need. */
export interface GenerateServices {
  readonly generate: GenerateContext;
  /** Whether a field that nobody knows fails the request. */
  readonly strictFields: boolean;
}

/** POST /v1/chat/completions and /v1/completions, streamed and not. */
export function generateRoutes(app: FastifyInstance, services: GenerateServices): void {
  const options = { config: { api: 'inference' } } as const;
  app.post('/v1/chat/completions', options, (request, reply) =>
    answer(request, reply, services, parseRequest(ChatRequest, request.body), chat),
  );
  app.post('/v1/completions', options, (request, reply) =>
    answer(request, reply, services, parseRequest(CompletionRequest, request.body), complete),
  );
}

async function answer<Body extends { readonly model: string }>(
  request: FastifyRequest,
  reply: FastifyReply,
  services: GenerateServices,
  parsed: Parsed<Body>,
  pipeline: (body: Body, context: GenerateContext, signal: AbortSignal) => Promise<Answer>,
): Promise<unknown> {
  request.model = parsed.request.model;
  const { unknownFields } = parsed;
  if (services.strictFields && unknownFields.length > 0)
    throw new ApiError('unknown_field', `${unknownFields[0]}: no such field is known.`, {
      param: unknownFields[0] as string,
    });
  const signal = requestSignal(reply);
  const result = await pipeline(parsed.request, services.generate, signal);
  const ignored = [...unknownFields, ...result.ignored];
  if (ignored.length > 0) {
    reply.header('x-conch-ignored', ignoredHeader(ignored));
    request.log.warn({ ignored: ignored.slice(0, mostNamed) }, 'request fields without effect');
  }
  if (result.structuredTries !== undefined)
    reply.header('x-conch-structured', structuredHeader(result.structuredTries));
  if (!result.isStreamed) return collect(result.events, result.options);
  await sendEvents(reply, result.events, { answer: new AnswerChunks(result.options), signal });
  return reply;
}
