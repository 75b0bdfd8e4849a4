import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type Usage, usageOf } from './response-fields.ts';

/** A response whose `data` has an entry for each row, between the members before and after it. */
interface ListResponse<Row> {
  readonly head: object;
  readonly rows: readonly Row[];
  readonly entry: (row: Row, index: number) => object;
  readonly tail: object;
}

/** Sends it entry by entry: all of them as one text would take many times the memory. */
export function sendList<Row>(reply: FastifyReply, list: ListResponse<Row>): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(Readable.from(listPieces(list)));
}

/** The members before `data`, in vLLM's order. */
export function listHead(id: string, model: string) {
  return { id, object: 'list', created: Math.floor(Date.now() / 1000), model };
}

/** Token counts of a response without text; null where they are unknown. */
export function listUsage(promptTokens: number | undefined): Usage | null {
  return promptTokens === undefined ? null : usageOf({ promptTokens, completionTokens: 0 });
}

function* listPieces<Row>({ head, rows, entry, tail }: ListResponse<Row>): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"data":[`;
  for (const [index, row] of rows.entries()) yield `${index > 0 ? ',' : ''}${JSON.stringify(entry(row, index))}`;
  yield `],${JSON.stringify(tail).slice(1)}`;
}
