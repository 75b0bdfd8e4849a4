import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer, GenerateContext } from '../generate/answer.ts';
import type { RowsContext } from '../generate/rows.ts';
import type { Signal } from '../signal.ts';
import { sendEvents } from './events.ts';
import { type RequestServices, tellIgnored } from './read-request.ts';
import { requestSignal } from './request-signal.ts';
import type { ResponseWriter } from './response-writer.ts';

/** What endpoints that generate text need. */
export interface GenerateServices extends RequestServices {
  readonly generate: Omit<GenerateContext, 'watch'>;
}

/** What endpoints for embeddings and scores need. */
export interface RowsServices extends RequestServices {
  readonly rows: Omit<RowsContext, 'watch'>;
}

/** How one API handles a request. Errors and field names are those of the API. */
export interface AnswerPlan {
  readonly unknownFields: readonly string[];
  begin(signal: Signal): Promise<Answer>;
  /** The id of the response if it is not that of a chat. */
  idOf?(answer: Answer): string;
  /** Writes a streamed response. */
  writer(answer: Answer): ResponseWriter;
  whole(answer: Answer): Promise<unknown>;
}

/** Responds to a request by its plan, streamed or not. */
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
