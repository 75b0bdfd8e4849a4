import type { Api } from '../../http/api.ts';
import { constant, object, text } from '../../http/openapi/schema-parts.ts';
import type { GenerateServices } from '../../http/send-response.ts';
import type { ModelServices } from '../../http/usable-models.ts';
import { errorBody } from './error-body.ts';
import { helloEndpoint } from './hello.ts';
import { countTokensEndpoint, messagesEndpoint } from './messages.ts';
import { modelEndpoint, modelsEndpoint } from './models.ts';

/** Anthropic's API: messages, and models for clients that send its version header. */
export const anthropicApi: Api<GenerateServices & ModelServices> = {
  name: 'anthropic',
  prefixes: ['/v1/messages'],
  errorBody,
  errorSchema: {
    name: 'MessagesError',
    schema: object({
      type: constant('error'),
      error: object({ type: text, message: text }, { details: object({ error_code: text }) }),
      request_id: text,
    }),
  },
  headers: (requestId) => ({ 'request-id': requestId }),
  endpoints: [messagesEndpoint, countTokensEndpoint, modelsEndpoint, modelEndpoint, helloEndpoint],
};
