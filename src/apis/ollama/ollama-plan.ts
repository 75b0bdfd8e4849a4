import type { FastifyRequest } from 'fastify';
import { chat } from '../../generate/chat.ts';
import { complete } from '../../generate/completion.ts';
import { contextFor } from '../../http/model-requests.ts';
import type { GenerateServices, ResponsePlan } from '../../http/send-response.ts';
import { collectGeneration } from './collect-generation.ts';
import { LineWriter } from './line-writer.ts';
import { renameError, renameIgnored, withRenamedErrors } from './rename-error.ts';
import type { LineContext } from './response-lines.ts';
import type { OllamaTranslation } from './to-chat.ts';

interface PlanOptions {
  readonly translation: OllamaTranslation;
  readonly ignoredFields: readonly string[];
  readonly lineContext: LineContext;
  readonly services: GenerateServices;
}

/** The plan for a request of an Ollama client. */
export function ollamaPlan(
  request: FastifyRequest,
  { translation, ignoredFields, lineContext, services }: PlanOptions,
): ResponsePlan {
  const { ignored, origin } = translation;
  return {
    ignoredFields,
    begin: async (signal) => {
      const context = contextFor(request, services.generate);
      const response = await withRenamedErrors(origin, () =>
        translation.kind === 'chat'
          ? chat(translation.request, context, signal)
          : complete(translation.request, context, signal),
      );
      return { ...response, ignored: [...ignored, ...renameIgnored(response.ignored, origin)] };
    },
    writer: () => new LineWriter({ ...lineContext, rename: (error) => renameError(error, origin) }),
    whole: (response) => withRenamedErrors(origin, () => collectGeneration(response.generation, lineContext)),
  };
}
