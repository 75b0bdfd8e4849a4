import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

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

function* listPieces<Row>({ head, rows, entry, tail }: ListResponse<Row>): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"data":[`;
  for (const [index, row] of rows.entries()) yield `${index > 0 ? ',' : ''}${JSON.stringify(entry(row, index))}`;
  yield `],${JSON.stringify(tail).slice(1)}`;
}
