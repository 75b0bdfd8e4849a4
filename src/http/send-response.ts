import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GenerateContext, GeneratedResponse } from '../generate/generated-response.ts';
import type { RowsContext } from '../generate/rows.ts';
import type { Signal } from '../signal.ts';
import { sendEvents } from './events.ts';
import { type RequestServices, reportIgnored } from './read-request.ts';
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
export interface ResponsePlan {
  readonly ignoredFields: readonly string[];
  begin(signal: Signal): Promise<GeneratedResponse>;
  /** The id of the response if it is not that of a chat. */
  idOf?(response: GeneratedResponse): string;
  /** Writes a streamed response. */
  writer(response: GeneratedResponse): ResponseWriter;
  whole(response: GeneratedResponse): Promise<unknown>;
}

/** Responds to a request by its plan, streamed or not. */
export async function sendResponse(request: FastifyRequest, reply: FastifyReply, plan: ResponsePlan): Promise<unknown> {
  const signal = requestSignal(reply);
  const response = await plan.begin(signal);
  request.watch.setResponseId(plan.idOf?.(response) ?? response.options.head.id);
  reportIgnored(request, reply, [...plan.ignoredFields, ...response.ignored]);
  if (response.structuredHeader !== undefined) reply.header('x-conch-structured', response.structuredHeader);
  if (!response.isStreamed) return plan.whole(response);
  await sendEvents(reply, response.generation, { writer: plan.writer(response), signal });
  return reply;
}
