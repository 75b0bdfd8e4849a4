import type { Api } from '../../http/api.ts';
import { object, text } from '../../http/openapi/schema-parts.ts';
import type { GenerateServices, RowsServices } from '../../http/send-response.ts';
import type { ModelServices } from '../../http/usable-models.ts';
import { embeddingsEndpoint, embedEndpoint } from './embed.ts';
import { chatEndpoint, generateEndpoint } from './generate.ts';
import { refusedEndpoints, runningEndpoint, showEndpoint, tagsEndpoint, versionEndpoint } from './models.ts';
import { pullEndpoint } from './pull.ts';

/** What Ollama's API needs. */
export type OllamaServices = GenerateServices & RowsServices & ModelServices;

/** Ollama's API. */
export const ollamaApi: Api<OllamaServices> = {
  name: 'ollama',
  prefixes: ['/api'],
  errorBody: ({ message }) => ({ error: message }),
  errorSchema: { name: 'OllamaError', schema: object({ error: text }) },
  endpoints: [
    chatEndpoint,
    generateEndpoint,
    embedEndpoint,
    embeddingsEndpoint,
    versionEndpoint,
    tagsEndpoint,
    runningEndpoint,
    showEndpoint,
    pullEndpoint,
    ...refusedEndpoints,
  ],
};
