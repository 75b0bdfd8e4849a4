import { chat } from '../../generate/chat.ts';
import { countPrompt } from '../../generate/count-prompt.ts';
import type { Endpoint } from '../../http/api.ts';
import { contextFor } from '../../http/model-requests.ts';
import { constant, listOf, object, orNull, text, whole } from '../../http/openapi/schema-parts.ts';
import { readRequest, refuseIgnored, reportIgnored } from '../../http/read-request.ts';
import { countMessages, countStopSequences, countTools } from '../../http/request-limits.ts';
import { requestSignal } from '../../http/request-signal.ts';
import { type GenerateServices, type ResponsePlan, sendResponse } from '../../http/send-response.ts';
import { estimateWith } from '../../http/token-estimate.ts';
import { collectMessage } from './collect-message.ts';
import { messageHead } from './message.ts';
import { MessageWriter } from './message-writer.ts';
import { CountTokensRequest, MessagesRequest, tokenCount } from './messages-request.ts';
import { renameError, renameIgnored, withRenamedErrors } from './rename-error.ts';
import { toChat } from './to-chat.ts';

const messages = [{ role: 'user', content: 'Why is the sky blue?' }];

const messageSchema = object({
  id: text,
  type: constant('message'),
  role: constant('assistant'),
  model: text,
  content: listOf(object({ type: { enum: ['text', 'thinking', 'tool_use'] } })),
  stop_reason: orNull({ enum: ['end_turn', 'max_tokens', 'stop_sequence', 'tool_use'] }),
  stop_sequence: orNull(text),
  usage: object({ input_tokens: whole, output_tokens: whole }),
});

/** POST /v1/messages, streamed and not. */
export const messagesEndpoint: Endpoint<GenerateServices> = {
  methods: ['POST'],
  paths: ['/v1/messages'],
  group: 'inference',
  operation: 'chat',
  limits: [countMessages, countTools, countStopSequences],
  estimate: estimateWith((fields) => fields['max_tokens']),
  operations: [
    {
      tag: 'generation',
      summary: "Creates a message (Anthropic's Messages API).",
      request: { name: 'MessagesRequest', schema: MessagesRequest },
      response: { name: 'Message', schema: messageSchema },
      streams: 'events',
      example: { model: 'llama', messages, max_tokens: 64 },
    },
  ],
  handler: (services) => async (request, reply) => {
    const { request: body, ignoredFields } = await readRequest(MessagesRequest, request, reply, services);
    const { chat: translated, ignored, origin, omitsThinking } = toChat(body);
    refuseIgnored(services, ignored);
    const plan: ResponsePlan = {
      ignoredFields,
      idOf: (response) => messageHead(response.options).id,
      begin: async (signal) => {
        const context = { ...contextFor(request, services.generate), tellsStop: true };
        const response = await chat(translated, context, signal);
        return { ...response, ignored: [...ignored, ...renameIgnored(response.ignored, origin)] };
      },
      writer: (response) =>
        new MessageWriter({
          head: messageHead(response.options),
          omitsThinking,
          requestId: request.id,
          rename: (error) => renameError(error, origin),
        }),
      whole: (response) => collectMessage(response.generation, { head: messageHead(response.options), omitsThinking }),
    };
    // A stream may fail before its first event too.
    return withRenamedErrors(origin, () => sendResponse(request, reply, plan));
  },
};

/** POST /v1/messages/count_tokens. */
export const countTokensEndpoint: Endpoint<GenerateServices> = {
  methods: ['POST'],
  paths: ['/v1/messages/count_tokens'],
  group: 'inference',
  usesTokenizerOnly: true,
  limits: [countMessages, countTools],
  operations: [
    {
      tag: 'generation',
      summary: "Counts the input tokens of a message (Anthropic's Messages API).",
      request: { name: 'CountTokensRequest', schema: CountTokensRequest },
      response: { name: 'MessageTokens', schema: object({ input_tokens: whole }) },
      example: { model: 'llama', messages },
    },
  ],
  handler: (services) => async (request, reply) => {
    const { request: body, ignoredFields } = await readRequest(CountTokensRequest, request, reply, services);
    const { chat: translated, ignored, origin } = toChat(body);
    refuseIgnored(services, ignored);
    const counted = await withRenamedErrors(origin, () =>
      countPrompt(translated, services.generate, requestSignal(reply)),
    );
    reportIgnored(request, reply, [...ignoredFields, ...ignored, ...renameIgnored(counted.ignored, origin)]);
    return tokenCount(counted.tokens);
  },
};
