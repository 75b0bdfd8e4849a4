import { ApiError } from '../../errors.ts';
import type { Endpoint } from '../../http/api.ts';
import { anything, constant, flag, listOf, object, text } from '../../http/openapi/schema-parts.ts';
import { reportIgnored } from '../../http/read-request.ts';
import { countMessages, countOptionsStop, countTools } from '../../http/request-limits.ts';
import type { GenerateServices } from '../../http/send-response.ts';
import { estimateWith } from '../../http/token-estimate.ts';
import type { ModelServices } from '../../http/usable-models.ts';
import { readOllama } from './read-ollama.ts';
import { OllamaChatRequest, OllamaGenerateRequest } from './requests.ts';
import { ResponseClock } from './response-clock.ts';
import { chatShape, generateShape, loadedOf } from './response-lines.ts';
import { sendGeneration } from './send-generation.ts';
import { chatOf, generationOf } from './to-chat.ts';
import { unusedFields } from './unused-fields.ts';

/** What generating needs. */
type OllamaServices = GenerateServices & ModelServices;

const headSchema = { model: text, created_at: text, done: flag, done_reason: text };
const call = object({ id: text, function: object({ name: text, arguments: anything }) });

/** Ollama's -1 means no token limit. */
const estimate = estimateWith(({ options }) => {
  const { num_predict: most } = (options ?? {}) as { readonly num_predict?: unknown };
  return typeof most === 'number' && most > 0 ? most : undefined;
});

/** POST /api/chat. */
export const chatEndpoint: Endpoint<OllamaServices> = {
  methods: ['POST'],
  paths: ['/api/chat'],
  group: 'inference',
  operation: 'chat',
  takesForms: true,
  limits: [countMessages, countTools, countOptionsStop],
  estimate,
  operations: [
    {
      tag: 'ollama',
      summary: 'Creates a chat completion (Ollama API).',
      request: { name: 'OllamaChatRequest', schema: OllamaChatRequest },
      response: {
        name: 'OllamaChat',
        schema: object({
          ...headSchema,
          message: object({ role: constant('assistant'), content: text }, { thinking: text, tool_calls: listOf(call) }),
        }),
      },
      streams: 'lines',
      example: {
        model: 'llama',
        messages: [{ role: 'user', content: 'Why is the sky blue?' }],
        stream: false,
        options: { num_predict: 64 },
      },
    },
  ],
  handler: (services) => async (request, reply) => {
    const clock = new ResponseClock();
    const { model, body, ignoredFields } = await readOllama(OllamaChatRequest, request, reply, services);
    clock.loaded();
    const lineContext = { model, shape: chatShape, clock };
    if (!body.messages?.length) {
      reportIgnored(request, reply, [...ignoredFields, ...unusedFields(body)]);
      return loaded(body, lineContext, services);
    }
    return sendGeneration(request, reply, { translation: chatOf(body), ignoredFields, lineContext, services });
  },
};

/** POST /api/generate. */
export const generateEndpoint: Endpoint<OllamaServices> = {
  methods: ['POST'],
  paths: ['/api/generate'],
  group: 'inference',
  operation: 'text_completion',
  takesForms: true,
  limits: [countOptionsStop],
  estimate,
  operations: [
    {
      tag: 'ollama',
      summary: 'Creates a completion of a prompt (Ollama API).',
      request: { name: 'OllamaGenerateRequest', schema: OllamaGenerateRequest },
      response: { name: 'OllamaGeneration', schema: object({ ...headSchema, response: text }, { thinking: text }) },
      streams: 'lines',
      example: { model: 'llama', prompt: 'Why is the sky blue?', stream: false, options: { num_predict: 64 } },
    },
  ],
  handler: (services) => async (request, reply) => {
    const clock = new ResponseClock();
    const { model, body, ignoredFields } = await readOllama(OllamaGenerateRequest, request, reply, services);
    clock.loaded();
    const lineContext = { model, shape: generateShape, clock };
    if (!body.prompt && !body.images?.length) {
      reportIgnored(request, reply, [...ignoredFields, ...unusedFields(body)]);
      return loaded(body, lineContext, services);
    }
    return sendGeneration(request, reply, { translation: generationOf(body), ignoredFields, lineContext, services });
  },
};

/** A request without a prompt only loads its model, which is done by now, or unloads it, which is rejected. */
function loaded(
  { model, keep_alive: keepAlive }: Pick<OllamaChatRequest, 'model' | 'keep_alive'>,
  lineContext: Parameters<typeof loadedOf>[0],
  { generate }: GenerateServices,
) {
  const { name } = generate.findModel(model);
  if (keepAlive === 0 || /^0[a-z]*$/.test(String(keepAlive)))
    throw new ApiError(
      'unsupported_parameter',
      `keep_alive: unloading a model with 0 is not supported. Send POST /v1/models/${name}/unload.`,
      { param: 'keep_alive' },
    );
  return loadedOf(lineContext);
}
