import { countPrompt } from '../../generate/count-prompt.ts';
import type { Endpoint } from '../../http/api.ts';
import { object, whole } from '../../http/openapi/schema-parts.ts';
import { reportIgnored } from '../../http/read-request.ts';
import { countContents, countFunctions, countGenerationConfig } from '../../http/request-limits.ts';
import { requestSignal } from '../../http/request-signal.ts';
import type { GenerateServices } from '../../http/send-response.ts';
import { modelPaths } from './paths.ts';
import { readGemini } from './read-gemini.ts';
import { renameIgnored, withRenamedErrors } from './rename-error.ts';
import { GenerateContentRequest } from './requests.ts';
import { toChat } from './to-chat.ts';

/** POST /v1beta/models/{model}:countTokens. */
export const countTokensEndpoint: Endpoint<GenerateServices> = {
  methods: ['POST'],
  paths: modelPaths,
  customMethod: 'countTokens',
  group: 'inference',
  usesTokenizerOnly: true,
  takesKeyInQuery: true,
  limits: [countContents, countFunctions, countGenerationConfig],
  operations: [
    {
      tag: 'gemini',
      summary: 'Counts the tokens of contents (Gemini API).',
      request: { name: 'GenerateContentRequest', schema: GenerateContentRequest },
      response: { name: 'CountTokensResponse', schema: object({ totalTokens: whole }) },
      example: { model: 'llama', contents: [{ role: 'user', parts: [{ text: 'Why is the sky blue?' }] }] },
    },
  ],
  handler: (services) => async (request, reply) => {
    const { body, ignoredFields } = await readGemini(GenerateContentRequest, request, reply, services);
    const { chat, ignored, origin } = toChat(body, false);
    const counted = await withRenamedErrors(origin, () => countPrompt(chat, services.generate, requestSignal(reply)));
    reportIgnored(request, reply, [...ignoredFields, ...ignored, ...renameIgnored(counted.ignored, origin)]);
    return { totalTokens: counted.tokens };
  },
};
