import { ApiError } from '../../../errors.ts';
import { countPrompt } from '../../../generate/count-prompt.ts';
import type { Endpoint } from '../../../http/api.ts';
import { constant, object, whole } from '../../../http/openapi/schema-parts.ts';
import { readRequest, reportIgnored } from '../../../http/read-request.ts';
import { requestSignal } from '../../../http/request-signal.ts';
import { responsesEndpoint } from './create.ts';
import { renameError, renameField } from './rename-error.ts';
import { responseJob } from './response-job.ts';
import { ResponsesRequest } from './responses-request.ts';
import type { ResponseServices } from './stored.ts';
import { toChat } from './to-chat.ts';

/** POST /v1/responses/input_tokens. */
export const inputTokensEndpoint: Endpoint<ResponseServices> = {
  methods: ['POST'],
  paths: ['/v1/responses/input_tokens'],
  group: 'inference',
  usesTokenizerOnly: true,
  limits: responsesEndpoint.limits ?? [],
  operations: [
    {
      tag: 'generation',
      summary: 'Counts the input tokens of a response.',
      request: { name: 'ResponsesRequest', schema: ResponsesRequest },
      response: {
        name: 'InputTokens',
        schema: object({ object: constant('response.input_tokens'), input_tokens: whole }),
      },
      example: { model: 'llama', input: 'Why is the sky blue?' },
    },
  ],
  handler: (services) => async (request, reply) => {
    const { keeper } = services.responses;
    const { request: body, ignoredFields } = await readRequest(ResponsesRequest, request, reply, services);
    const { items, tools } = await responseJob(body, { owner: request.owner, keeper });
    const { request: translated, origins } = toChat(body, { items, tools });
    try {
      const { tokens, ignored } = await countPrompt(translated, services.generate, requestSignal(reply));
      const renamed = ignored.map((field) => renameField(field, origins));
      reportIgnored(request, reply, [...ignoredFields, ...renamed]);
      return { object: 'response.input_tokens', input_tokens: tokens };
    } catch (error) {
      throw renameError(ApiError.from(error), origins);
    }
  },
};
