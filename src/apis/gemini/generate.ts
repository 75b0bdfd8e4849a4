import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { chat } from '../../generate/chat.ts';
import type { Endpoint, EndpointFacts } from '../../http/api.ts';
import { contextFor } from '../../http/model-requests.ts';
import { constant, listOf, object, text, whole } from '../../http/openapi/schema-parts.ts';
import { countContents, countFunctions, countGenerationConfig } from '../../http/request-limits.ts';
import { type GenerateServices, type ResponsePlan, sendResponse } from '../../http/send-response.ts';
import { estimateWith } from '../../http/token-estimate.ts';
import { responseHead } from './candidate.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { collectResponse } from './collect-response.ts';
import { modelPaths } from './paths.ts';
import { readGemini } from './read-gemini.ts';
import { renameError, renameIgnored, withRenamedErrors } from './rename-error.ts';
import { GenerateContentRequest } from './requests.ts';
import { toChat } from './to-chat.ts';

/** The fields of `generationConfig` that an estimate of tokens needs. */
interface Estimated {
  readonly maxOutputTokens?: unknown;
  readonly candidateCount?: unknown;
}

const estimateText = estimateWith(({ generationConfig }) => (generationConfig as Estimated)?.maxOutputTokens);

const shared = {
  methods: ['POST'],
  paths: modelPaths,
  group: 'inference',
  operation: 'chat',
  takesKeyInQuery: true,
  limits: [countContents, countFunctions, countGenerationConfig],
  estimate: (fields) => {
    const { candidateCount: n } = (fields['generationConfig'] ?? {}) as Estimated;
    return estimateText({ ...fields, n });
  },
} as const satisfies Partial<EndpointFacts>;

const request = { name: 'GenerateContentRequest', schema: GenerateContentRequest };
const content = object({ parts: listOf(object({})), role: constant('model') });
const candidates = listOf(object({ content, index: whole }, { finishReason: { enum: ['STOP', 'MAX_TOKENS'] } }));
const usageMetadata = object({ promptTokenCount: whole, candidatesTokenCount: whole, totalTokenCount: whole });
const response = {
  name: 'GenerateContentResponse',
  schema: object({ candidates, modelVersion: text, responseId: text, usageMetadata }),
};
/** Without `alt=sse`, the chunks are a list. If the generation fails, the last one has an error. */
const chunks = {
  name: 'GenerateContentChunks',
  schema: listOf(object({}, { candidates, modelVersion: text, responseId: text, usageMetadata, error: object({}) })),
};
const example = {
  model: 'llama',
  contents: [{ role: 'user', parts: [{ text: 'Why is the sky blue?' }] }],
  generationConfig: { maxOutputTokens: 64 },
};

/** POST /v1beta/models/{model}:generateContent. */
export const generateContentEndpoint: Endpoint<GenerateServices> = {
  ...shared,
  customMethod: 'generateContent',
  operations: [{ tag: 'gemini', summary: 'Generates content (Gemini API).', request, response, example }],
  handler: (services) => (request, reply) => generate(request, reply, { services, isStreamed: false }),
};

/** POST /v1beta/models/{model}:streamGenerateContent. */
export const streamGenerateContentEndpoint: Endpoint<GenerateServices> = {
  ...shared,
  customMethod: 'streamGenerateContent',
  operations: [
    {
      tag: 'gemini',
      summary: 'Generates content as a stream (Gemini API).',
      query: z.object({ alt: z.enum(['sse', 'json']).optional() }),
      request,
      response: chunks,
      streams: 'events',
      example,
    },
  ],
  handler: (services) => (request, reply) => generate(request, reply, { services, isStreamed: true }),
};

interface GenerateOptions {
  readonly services: GenerateServices;
  readonly isStreamed: boolean;
}

async function generate(request: FastifyRequest, reply: FastifyReply, { services, isStreamed }: GenerateOptions) {
  const { body, ignoredFields } = await readGemini(GenerateContentRequest, request, reply, services);
  const { chat: translated, ignored, origin, includesThoughts } = toChat(body, isStreamed);
  const { alt } = request.query as { readonly alt?: string };
  const plan: ResponsePlan = {
    ignoredFields,
    idOf: ({ options }) => responseHead(options).responseId,
    begin: async (signal) => {
      const response = await chat(translated, contextFor(request, services.generate), signal);
      return { ...response, ignored: [...ignored, ...renameIgnored(response.ignored, origin)] };
    },
    writer: ({ options }) =>
      new ChunkWriter({
        head: responseHead(options),
        choices: options.choices,
        includesThoughts,
        framing: alt === 'sse' ? 'events' : 'array',
        rename: (error) => renameError(error, origin),
      }),
    whole: ({ generation, options }) =>
      collectResponse(generation, { head: responseHead(options), choices: options.choices, includesThoughts }),
  };
  return withRenamedErrors(origin, () => sendResponse(request, reply, plan));
}
