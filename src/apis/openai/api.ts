import type { Api } from '../../http/api.ts';
import { defaultErrors } from '../../http/failures.ts';
import { errorSchema } from '../../http/openapi/error-schema.ts';
import type { RowsServices } from '../../http/send-response.ts';
import type { ModelServices } from '../../http/usable-models.ts';
import type { AdapterServices } from '../../models/adapter-loading.ts';
import { chatEndpoint } from './chat.ts';
import { classifyEndpoint } from './classify.ts';
import { completionEndpoint } from './completions.ts';
import { embeddingsEndpoint } from './embeddings.ts';
import { loadLoraEndpoint, unloadLoraEndpoint } from './lora.ts';
import { type ControlServices, modelControlEndpoint } from './model-control.ts';
import { modelEndpoint, modelsEndpoint } from './models.ts';
import { rerankEndpoint } from './rerank.ts';
import { responsesEndpoint } from './responses/create.ts';
import { inputTokensEndpoint } from './responses/input-tokens.ts';
import {
  cancelEndpoint,
  deleteEndpoint,
  inputItemsEndpoint,
  type ResponseServices,
  storedEndpoint,
} from './responses/stored.ts';
import { scoreEndpoint } from './score.ts';
import { applyTemplateEndpoint, detokenizeEndpoint, type TokenizeServices, tokenizeEndpoint } from './tokenize.ts';

/** What OpenAI's API needs. */
export type OpenAiServices = TokenizeServices &
  ResponseServices &
  RowsServices &
  ModelServices &
  ControlServices &
  AdapterServices;

/** OpenAI's API, with vLLM's, Jina's and Cohere's additions. */
export const openAiApi: Api<OpenAiServices> = {
  name: 'openai',
  ...defaultErrors,
  errorSchema,
  endpoints: [
    chatEndpoint,
    completionEndpoint,
    responsesEndpoint,
    inputTokensEndpoint,
    storedEndpoint,
    deleteEndpoint,
    cancelEndpoint,
    inputItemsEndpoint,
    tokenizeEndpoint,
    detokenizeEndpoint,
    applyTemplateEndpoint,
    embeddingsEndpoint,
    rerankEndpoint,
    classifyEndpoint,
    scoreEndpoint,
    modelsEndpoint,
    modelEndpoint,
    modelControlEndpoint,
    loadLoraEndpoint,
    unloadLoraEndpoint,
  ],
};
