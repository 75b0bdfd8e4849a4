import type { FastifyRequest } from 'fastify';
import { chat } from '../../generate/chat.ts';
import { complete } from '../../generate/completion.ts';
import { contextFor } from '../../http/model-requests.ts';
import type { AnswerPlan, GenerateServices } from '../../http/send-answer.ts';
import type { AnswerPlace } from './answer-lines.ts';
import { collectAnswer } from './collect-answer.ts';
import { LineWriter } from './line-writer.ts';
import { ignoredFields, inTheirNames, renameFault } from './rename-fault.ts';
import type { Translated } from './to-chat.ts';

interface PlanOptions {
  readonly translated: Translated;
  readonly unknownFields: readonly string[];
  readonly place: AnswerPlace;
  readonly services: GenerateServices;
}

/** The plan for a request of an Ollama client. */
export function ollamaPlan(
  request: FastifyRequest,
  { translated, unknownFields, place, services }: PlanOptions,
): AnswerPlan {
  const { ignored, origin } = translated;
  return {
    unknownFields,
    begin: async (signal) => {
      const context = contextFor(request, services.generate);
      const answer = await inTheirNames(origin, () =>
        translated.kind === 'chat'
          ? chat(translated.request, context, signal)
          : complete(translated.request, context, signal),
      );
      return { ...answer, ignored: [...ignored, ...ignoredFields(answer.ignored, origin)] };
    },
    writer: () => new LineWriter({ ...place, rename: (fault) => renameFault(fault, origin) }),
    whole: (answer) => inTheirNames(origin, () => collectAnswer(answer.generation, place)),
  };
}
