import { chat } from '../../generate/chat.ts';
import type { Endpoint } from '../../http/api.ts';
import { contextFor, isCharged } from '../../http/model-requests.ts';
import { constant, listOf, object, orNull, text, usage, whole } from '../../http/openapi/schema-parts.ts';
import { readRequest } from '../../http/read-request.ts';
import { countChoices, countMessages, countStop, countTools } from '../../http/request-limits.ts';
import { type GenerateServices, sendResponse } from '../../http/send-response.ts';
import { estimateWith } from '../../http/token-estimate.ts';
import { ChatRequest } from '../../requests/chat-request.ts';
import { ChunkWriter } from './chunks.ts';
import { collect } from './collect.ts';
import { headSchema, promptSchema } from './response-fields.ts';
import { chatShape } from './shapes.ts';

const toolCall = object({ id: text, type: constant('function'), function: object({ name: text, arguments: text }) });

const message = object(
  { role: constant('assistant'), content: orNull(text), refusal: orNull(text) },
  { reasoning_content: text, reasoning: text, tool_calls: listOf(toolCall) },
);

/** POST /v1/chat/completions, streamed and not. */
export const chatEndpoint: Endpoint<GenerateServices> = {
  methods: ['POST'],
  paths: ['/v1/chat/completions'],
  group: 'inference',
  operation: 'chat',
  limits: [countMessages, countTools, countStop, countChoices],
  estimate: estimateWith((fields) => fields['max_completion_tokens'] ?? fields['max_tokens']),
  operations: [
    {
      tag: 'generation',
      summary: 'Creates a chat completion.',
      request: { name: 'ChatRequest', schema: ChatRequest },
      response: {
        name: 'ChatCompletion',
        schema: object(
          {
            ...headSchema('chat.completion'),
            choices: listOf(
              object({ index: whole, message, finish_reason: orNull(text) }, { token_ids: listOf(whole) }),
            ),
            usage,
          },
          promptSchema,
        ),
      },
      streams: 'events',
      example: { model: 'llama', messages: [{ role: 'user', content: 'Why is the sky blue?' }], max_tokens: 64 },
    },
  ],
  handler: (services) => async (request, reply) => {
    const { request: body, ignoredFields } = await readRequest(ChatRequest, request, reply, services);
    return sendResponse(request, reply, {
      ignoredFields,
      begin: (signal) => chat(body, contextFor(request, services.generate, isCharged(request)), signal),
      writer: ({ options }) => new ChunkWriter(chatShape, options),
      whole: ({ generation, options }) => collect(generation, chatShape, options),
    });
  },
};
