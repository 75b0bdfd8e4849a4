import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import { chat } from '../generate/chat.ts';
import { complete } from '../generate/completion.ts';
import type { AnswerPlace } from '../openai/ollama/answer-lines.ts';
import { collectAnswer } from '../openai/ollama/collect-answer.ts';
import { LineWriter } from '../openai/ollama/line-writer.ts';
import { ignoredFields, renameFault } from '../openai/ollama/rename-fault.ts';
import type { Origin, Translated } from '../openai/ollama/to-chat.ts';
import { contextFor } from './model-requests.ts';
import type { AnswerPlan, GenerateServices } from './send-answer.ts';

interface PlanOptions {
  readonly translated: Translated;
  readonly unknownFields: readonly string[];
  readonly place: AnswerPlace;
  readonly services: GenerateServices;
}

/** How a request of Ollama's clients is answered. */
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
    whole: (answer) => inTheirNames(origin, () => collectAnswer(answer.events, place)),
  };
}

/** What is done for a request, its faults in Ollama's names. */
async function inTheirNames<Result>(origin: Origin, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw renameFault(ApiError.from(error), origin);
  }
}
