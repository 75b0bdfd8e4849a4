import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer, GenerateContext } from '../generate/answer.ts';
import type { RowsContext } from '../generate/rows.ts';
import type { Signal } from '../signal.ts';
import { sendEvents } from './events.ts';
import { type RequestServices, tellIgnored } from './read-request.ts';
import { requestSignal } from './request-signal.ts';
import type { ResponseWriter } from './response-writer.ts';

/** What the generating routes need. */
export interface GenerateServices extends RequestServices {
  readonly generate: Omit<GenerateContext, 'watch'>;
}

/** What the endpoints of vectors and scores need. */
export interface RowsServices extends RequestServices {
  readonly rows: Omit<RowsContext, 'watch'>;
}

/** What one API makes of a request. Faults and names are in the words of that API. */
export interface AnswerPlan {
  readonly unknownFields: readonly string[];
  begin(signal: Signal): Promise<Answer>;
  /** The id of the answer where it is not that of a chat. */
  idOf?(answer: Answer): string;
  /** How the answer is written as it comes. */
  writer(answer: Answer): ResponseWriter;
  whole(answer: Answer): Promise<unknown>;
}

/** Answers a request as its plan says, streamed or whole. */
export async function sendAnswer(request: FastifyRequest, reply: FastifyReply, plan: AnswerPlan): Promise<unknown> {
  const signal = requestSignal(reply);
  const answer = await plan.begin(signal);
  request.watch.answers(plan.idOf?.(answer) ?? answer.options.head.id);
  tellIgnored(request, reply, [...plan.unknownFields, ...answer.ignored]);
  if (answer.structuredHeader !== undefined) reply.header('x-conch-structured', answer.structuredHeader);
  if (!answer.isStreamed) return plan.whole(answer);
  await sendEvents(reply, answer.generation, { writer: plan.writer(answer), signal });
  return reply;
}
