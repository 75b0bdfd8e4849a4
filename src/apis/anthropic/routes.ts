import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors.ts';
import { chat } from '../../generate/chat.ts';
import { countPrompt } from '../../generate/count-prompt.ts';
import { isOfAnthropic } from '../../http/failures.ts';
import { contextFor } from '../../http/model-requests.ts';
import { readRequest, tellIgnored } from '../../http/read-request.ts';
import { requestSignal } from '../../http/request-signal.ts';
import { type AnswerPlan, type GenerateServices, sendAnswer } from '../../http/send-answer.ts';
import { collectMessage } from './collect-message.ts';
import { messageHead } from './message.ts';
import { MessageWriter } from './message-writer.ts';
import { CountTokensRequest, MessagesRequest, tokenCount } from './messages-request.ts';
import { ignoredFields, renameFault } from './rename-fault.ts';
import { type Origin, toChat } from './to-chat.ts';

/** POST /v1/messages and /v1/messages/count_tokens, as Anthropic's clients ask. */
export function messageRoutes(app: FastifyInstance, services: GenerateServices): void {
  const options = { config: { api: 'inference' } } as const;
  app.addHook('onRequest', async (request, reply) => {
    if (isOfAnthropic(request)) reply.header('request-id', request.id);
  });
  app.post('/v1/messages', options, async (request, reply) => {
    const { request: body, unknownFields } = await readRequest(MessagesRequest, request, reply, services);
    const { chat: translated, ignored, origin } = toChat(body);
    const plan: AnswerPlan = {
      unknownFields,
      idOf: (answer) => messageHead(answer.options).id,
      begin: async (signal) => {
        const answer = await inTheirNames(origin, () =>
          chat(translated, { ...contextFor(request, services.generate), tellsStop: true }, signal),
        );
        return { ...answer, ignored: [...ignored, ...ignoredFields(answer.ignored, origin)] };
      },
      writer: (answer) =>
        new MessageWriter({
          head: messageHead(answer.options),
          requestId: request.id,
          rename: (fault) => renameFault(fault, origin),
        }),
      whole: (answer) => inTheirNames(origin, () => collectMessage(answer.events, messageHead(answer.options))),
    };
    return sendAnswer(request, reply, plan);
  });
  app.post(
    '/v1/messages/count_tokens',
    { config: { ...options.config, needsNoPlace: true } },
    async (request, reply) => {
      const { request: body, unknownFields } = await readRequest(CountTokensRequest, request, reply, services);
      const { chat: translated, ignored, origin } = toChat(body);
      const counted = await inTheirNames(origin, () =>
        countPrompt(translated, services.generate, requestSignal(reply)),
      );
      tellIgnored(request, reply, [...unknownFields, ...ignored, ...ignoredFields(counted.ignored, origin)]);
      return tokenCount(counted.tokens);
    },
  );
}

/** What is done for a request, its faults in the names of the API. */
async function inTheirNames<Result>(origin: Origin, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw renameFault(ApiError.from(error), origin);
  }
}
