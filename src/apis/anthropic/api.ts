import type { Api } from '../../http/api.ts';
import { constant, object, text } from '../../http/openapi/schema-parts.ts';
import type { GenerateServices } from '../../http/send-response.ts';
import { errorBody } from './error-body.ts';
import { countTokensEndpoint, messagesEndpoint } from './messages.ts';

/** Anthropic's Messages API. */
export const anthropicApi: Api<GenerateServices> = {
  name: 'anthropic',
  prefixes: ['/v1/messages'],
  errorBody,
  errorSchema: {
    name: 'MessagesError',
    schema: object({ type: constant('error'), error: object({ type: text, message: text }), request_id: text }),
  },
  headers: (requestId) => ({ 'request-id': requestId }),
  endpoints: [messagesEndpoint, countTokensEndpoint],
};
