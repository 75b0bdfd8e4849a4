import type { Api } from '../../http/api.ts';
import { listOf, object, text, whole } from '../../http/openapi/schema-parts.ts';
import type { GenerateServices, RowsServices } from '../../http/send-response.ts';
import type { ModelServices } from '../../http/usable-models.ts';
import { countTokensEndpoint } from './count-tokens.ts';
import { batchEmbedContentsEndpoint, embedContentEndpoint } from './embed.ts';
import { errorBody } from './error-body.ts';
import { generateContentEndpoint, streamGenerateContentEndpoint } from './generate.ts';
import { modelEndpoint, modelsEndpoint } from './models.ts';

/** What Google's API needs. */
export type GeminiServices = GenerateServices & RowsServices & ModelServices;

/** Google's Gemini API. */
export const geminiApi: Api<GeminiServices> = {
  name: 'gemini',
  prefixes: ['/v1beta'],
  errorBody,
  errorSchema: {
    name: 'GeminiError',
    schema: object({
      error: object({ code: whole, message: text, status: text, details: listOf(object({ '@type': text })) }),
    }),
  },
  endpoints: [
    generateContentEndpoint,
    streamGenerateContentEndpoint,
    countTokensEndpoint,
    embedContentEndpoint,
    batchEmbedContentsEndpoint,
    modelsEndpoint,
    modelEndpoint,
  ],
};
