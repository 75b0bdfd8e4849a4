import type { FastifyReply, FastifyRequest } from 'fastify';
import { chat } from '../../generate/chat.ts';
import { complete } from '../../generate/completion.ts';
import { contextFor } from '../../http/model-requests.ts';
import { type GenerateServices, type ResponsePlan, sendResponse } from '../../http/send-response.ts';
import { collectGeneration } from './collect-generation.ts';
import { LineWriter } from './line-writer.ts';
import { renameError, renameIgnored, withRenamedErrors } from './rename-error.ts';
import type { LineContext } from './response-lines.ts';
import type { OllamaTranslation } from './to-chat.ts';

interface GenerationOptions {
  readonly translation: OllamaTranslation;
  readonly ignoredFields: readonly string[];
  readonly lineContext: LineContext;
  readonly services: GenerateServices;
}

/** Responds to a request of an Ollama client. A stream may fail before its first line too. */
export function sendGeneration(
  request: FastifyRequest,
  reply: FastifyReply,
  { translation, ignoredFields, lineContext, services }: GenerationOptions,
): Promise<unknown> {
  const { ignored, origin } = translation;
  const plan: ResponsePlan = {
    ignoredFields,
    begin: async (signal) => {
      const context = contextFor(request, services.generate);
      const response =
        translation.kind === 'chat'
          ? await chat(translation.request, context, signal)
          : await complete(translation.request, context, signal);
      return { ...response, ignored: [...ignored, ...renameIgnored(response.ignored, origin)] };
    },
    writer: () => new LineWriter({ ...lineContext, rename: (error) => renameError(error, origin) }),
    whole: (response) => collectGeneration(response.generation, lineContext),
  };
  return withRenamedErrors(origin, () => sendResponse(request, reply, plan));
}
