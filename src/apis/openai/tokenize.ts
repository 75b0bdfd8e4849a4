import type { FastifyReply } from 'fastify';
import { applyTemplate, detokenize, tokenize } from '../../generate/tokenize.ts';
import type { Endpoint, EndpointFacts } from '../../http/api.ts';
import { listOf, object, orNull, text, whole } from '../../http/openapi/schema-parts.ts';
import { readRequest, reportIgnored } from '../../http/read-request.ts';
import { countMessages, countTools } from '../../http/request-limits.ts';
import { requestSignal } from '../../http/request-signal.ts';
import type { GenerateServices } from '../../http/send-response.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import { ApplyTemplateRequest, DetokenizeRequest, TokenizeRequest } from '../../requests/tokenize-request.ts';
import { tokenizeResponseText } from './tokenize-response.ts';

/** What these endpoints need. */
export interface TokenizeServices extends GenerateServices {
  readonly models: Pick<ModelRegistry, 'list'>;
}

const shared = {
  methods: ['POST'],
  group: 'inference',
  usesTokenizerOnly: true,
} as const satisfies Partial<EndpointFacts>;
const prompt = { name: 'Prompt', schema: object({ prompt: text }) };

/** POST /tokenize. */
export const tokenizeEndpoint: Endpoint<TokenizeServices> = {
  ...shared,
  paths: ['/tokenize', '/v1/tokenize'],
  limits: [countMessages, countTools],
  operations: [
    {
      tag: 'tokens',
      summary: 'Tokenizes a text or a conversation.',
      request: { name: 'TokenizeRequest', schema: TokenizeRequest },
      response: {
        name: 'Tokens',
        schema: object({
          count: whole,
          max_model_len: orNull(whole),
          tokens: listOf(whole),
          token_strs: orNull(listOf(text)),
        }),
      },
      example: { model: 'llama', prompt: 'The sky is' },
    },
  ],
  handler: (services) => async (request, reply) => {
    const parsed = await readRequest(TokenizeRequest, request, reply, services);
    const { result: response, ignored } = await tokenize(parsed.request, contextOf(services, reply));
    reportIgnored(request, reply, [...parsed.ignoredFields, ...ignored]);
    return reply.type('application/json; charset=utf-8').send(await tokenizeResponseText(response));
  },
};

/** POST /detokenize. */
export const detokenizeEndpoint: Endpoint<TokenizeServices> = {
  ...shared,
  paths: ['/detokenize', '/v1/detokenize'],
  operations: [
    {
      tag: 'tokens',
      summary: 'Converts token ids to text.',
      request: { name: 'DetokenizeRequest', schema: DetokenizeRequest },
      response: prompt,
      example: { model: 'llama', tokens: [1, 2, 3] },
    },
  ],
  handler: (services) => async (request, reply) => {
    const parsed = await readRequest(DetokenizeRequest, request, reply, services);
    const written = await detokenize(parsed.request, contextOf(services, reply));
    reportIgnored(request, reply, parsed.ignoredFields);
    return { prompt: written };
  },
};

/** POST /apply-template. */
export const applyTemplateEndpoint: Endpoint<TokenizeServices> = {
  ...shared,
  paths: ['/apply-template', '/v1/apply-template'],
  limits: [countMessages, countTools],
  operations: [
    {
      tag: 'tokens',
      summary: 'Renders the prompt of a conversation.',
      request: { name: 'ApplyTemplateRequest', schema: ApplyTemplateRequest },
      response: prompt,
      example: { model: 'llama', messages: [{ role: 'user', content: 'Why is the sky blue?' }] },
    },
  ],
  handler: (services) => async (request, reply) => {
    const parsed = await readRequest(ApplyTemplateRequest, request, reply, services);
    const { prompt: written, ignored } = await applyTemplate(parsed.request, contextOf(services, reply));
    reportIgnored(request, reply, [...parsed.ignoredFields, ...ignored]);
    return { prompt: written };
  },
};

function contextOf({ generate, models }: TokenizeServices, reply: FastifyReply): Parameters<typeof tokenize>[1] {
  return {
    ...generate,
    signal: requestSignal(reply),
    findNamed: (name) => models.list().find((model) => model.name === name) ?? generate.findModel(name),
  };
}
