import { complete } from '../../generate/completion.ts';
import type { Endpoint } from '../../http/api.ts';
import { contextFor, isCharged } from '../../http/model-requests.ts';
import { listOf, object, orNull, text, usage, whole } from '../../http/openapi/schema-parts.ts';
import { readRequest } from '../../http/read-request.ts';
import { countChoices, countStop } from '../../http/request-limits.ts';
import { type GenerateServices, sendResponse } from '../../http/send-response.ts';
import { estimateWith } from '../../http/token-estimate.ts';
import { CompletionRequest } from '../../requests/completion-request.ts';
import { ChunkWriter } from './chunks.ts';
import { collect } from './collect.ts';
import { headSchema, promptSchema } from './response-fields.ts';
import { completionShape } from './shapes.ts';

/** POST /v1/completions, streamed and not. */
export const completionEndpoint: Endpoint<GenerateServices> = {
  methods: ['POST'],
  paths: ['/v1/completions'],
  group: 'inference',
  operation: 'text_completion',
  limits: [countStop, countChoices],
  estimate: estimateWith((fields) => fields['max_tokens']),
  operations: [
    {
      tag: 'generation',
      summary: 'Creates a completion of a prompt.',
      request: { name: 'CompletionRequest', schema: CompletionRequest },
      response: {
        name: 'Completion',
        schema: object({
          ...headSchema('text_completion'),
          choices: listOf(
            object({ index: whole, text, finish_reason: orNull(text) }, { ...promptSchema, token_ids: listOf(whole) }),
          ),
          usage,
        }),
      },
      streams: 'events',
      example: { model: 'llama', prompt: 'The sky is', max_tokens: 16 },
    },
  ],
  handler: (services) => async (request, reply) => {
    const { request: body, ignoredFields } = await readRequest(CompletionRequest, request, reply, services);
    return sendResponse(request, reply, {
      ignoredFields,
      begin: (signal) => complete(body, contextFor(request, services.generate, isCharged(request)), signal),
      writer: ({ options }) => new ChunkWriter(completionShape, options),
      whole: ({ generation, options }) => collect(generation, completionShape, options),
    });
  },
};
