import { setImmediate as afterOthers } from 'node:timers/promises';
import { type InputRow, RowError, type RowFigures, type RowsContract } from '../contracts/row-contracts.ts';
import { ApiError, type ErrorCode } from '../errors.ts';
import { untilEnd } from '../kserve/awaited-responses.ts';
import type { CallOptions, InferenceServer, InferRequest, InferResponse } from '../kserve/server.ts';
import type { BeginInference } from '../kserve/server-group.ts';
import { StatusError } from '../kserve/status.ts';
import type { NamedModel } from '../models/served-model.ts';
import { type InferenceWatch, type RequestWatch, retried } from '../request-watch.ts';
import { anySignal, type Signal } from '../signal.ts';
import { generationError } from './generation-errors.ts';
import { timeKeeper } from './time-left.ts';

/** What a model returned for a row. */
export interface RowReading extends RowFigures {
  readonly row: number;
  readonly sent: InputRow;
  /** How many values it should have, or each of its tokens. */
  readonly expected: number;
}

/** How rows of texts are sent to a model, and how its output is read. */
export interface RowsRun<Result> {
  readonly model: NamedModel;
  readonly contract: RowsContract;
  readonly requestId: string;
  readonly padId: number | undefined;
  /** The request field of the rows, and the path of each row in it. */
  readonly field: string;
  readonly pathOf: (row: number) => string;
  /** How many values a row must have, or each of its tokens; undefined: as many as the first one. */
  readonly width: number | undefined;
  /** Makes the result of a row, or refuses what the model returned for it. */
  readonly finish: (reading: RowReading, refuse: (reason: string) => never) => Result;
  readonly signal: Signal;
  readonly watch: RequestWatch;
  /** Milliseconds for all of them; undefined: no limit. */
  readonly timeout: number | undefined;
}

/** Batches of one request that run at the same time. */
const mostAtOnce = 16;

/** Values of one batch: they are all in memory at once. */
const mostFigures = 4_000_000;

/** Values that are read in one turn of the event loop, which takes a few milliseconds. */
const figuresPerTurn = 200_000;

/** Sends rows in batches, several at a time, and returns the results in their order. The first error ends them all. */
export async function inferRows<Result>(rows: readonly InputRow[], run: RowsRun<Result>): Promise<Result[]> {
  const batches = batchesOf(rows, run.contract);
  const results: Result[] = Array.from({ length: rows.length });
  const timeLeft = timeKeeper(run.timeout);
  const stop = new AbortController();
  const signal = anySignal(run.signal, stop.signal);
  let { width } = run;
  const read: Reader<Result> = (figures, row, refuse) => {
    width ??= figures.width;
    return run.finish({ ...figures, row, sent: rows[row] as InputRow, expected: width }, refuse);
  };
  let next = 0;
  const work = async (): Promise<void> => {
    for (let batch = batches[next++]; batch; batch = batches[next++]) {
      const timeout = timeLeft();
      const limits = { signal, ...(timeout === undefined ? {} : { timeout }) };
      const finished = await inferBatch(rows, { batch, run, read, limits });
      batch.forEach((row, at) => {
        results[row] = finished[at] as Result;
      });
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(mostAtOnce, batches.length) }, work));
  } finally {
    stop.abort();
  }
  return results;
}

type Reader<Result> = (figures: RowFigures, row: number, refuse: (reason: string) => never) => Result;

interface BatchRun<Result> {
  readonly batch: readonly number[];
  readonly run: RowsRun<Result>;
  readonly read: Reader<Result>;
  readonly limits: CallOptions;
}

async function inferBatch<Result>(
  rows: readonly InputRow[],
  { batch, run, read, limits }: BatchRun<Result>,
): Promise<Result[]> {
  const { model, contract, requestId: id, padId } = run;
  const sent = batch.map((row) => rows[row] as InputRow);
  const results: Result[] = [];
  const refuse = (reason: string): never => {
    throw new RowError(results.length, reason);
  };
  try {
    const request = contract.encode({ id, model: model.model, version: model.version, rows: sent, padId });
    const response = await onlyResponse(run, request, limits);
    if (contract.figuresPerRow) await ownTurn(limits);
    let inThisTurn = 0;
    for (const figures of contract.decode(response, sent)) {
      results.push(read(figures, batch[results.length] as number, refuse));
      inThisTurn += figures.figures.length;
      if (inThisTurn < figuresPerTurn) continue;
      inThisTurn = 0;
      await ownTurn(limits);
    }
    return results;
  } catch (error) {
    throw errorWithPath(error, batch, run);
  }
}

let lastTurn: Promise<unknown> = Promise.resolve();

/** A turn of the event loop in which no other batch, of any request, is read. */
async function ownTurn({ signal }: CallOptions): Promise<void> {
  const turn = lastTurn.then(() => afterOthers());
  lastTurn = turn;
  await turn;
  signal?.throwIfAborted();
}

/** The response of a model that responds once. Streams keep error texts that single calls lose. */
async function onlyResponse<Result>(
  { model, contract, watch, requestId }: RowsRun<Result>,
  request: InferRequest,
  limits: CallOptions,
): Promise<InferResponse> {
  let found: InferResponse | undefined;
  let inference: InferenceWatch | undefined;
  let chosen: InferenceServer | undefined;
  const begin: BeginInference = (server, { timeout }, sink) => {
    chosen = server;
    inference?.end(retried);
    inference = watch.inference({ server: server.name, model: model.model, maxTokens: undefined });
    const call = { ...limits, ...(timeout === undefined ? {} : { timeout }), metadata: inference.headers };
    return server.stream(request, sink, call);
  };
  const statusOf = (error: StatusError) => contract.explain(error)?.status;
  try {
    await untilEnd(
      (sink) => model.group.stream(begin, sink, { ...limits, hasSingleResponse: true, statusOf, requestId }),
      (response) => {
        if (response.outputs.length > 0) found ??= response.detached();
      },
    );
    inference?.end();
  } catch (error) {
    if (error instanceof StatusError && chosen) model.learn?.(chosen, error);
    inference?.end(error);
    throw error;
  }
  if (!found) throw new RowError(0, 'the model returned no outputs');
  return found;
}

/** The rows of each batch. Rows of tokens are sorted by length, so that batches have little padding. */
function batchesOf(rows: readonly InputRow[], { mostTogether, figuresPerRow }: RowsContract): number[][] {
  const order = [...rows.keys()].toSorted((a, b) => lengthOf(rows[b]) - lengthOf(rows[a]) || a - b);
  const batches: number[][] = [];
  for (let at = 0; at < order.length; ) {
    const longest = lengthOf(rows[order[at] as number]);
    const fitting = figuresPerRow ? Math.floor(mostFigures / figuresPerRow(longest)) : mostTogether;
    const batch = order.slice(at, at + Math.max(1, Math.min(mostTogether, fitting)));
    batches.push(batch);
    at += batch.length;
  }
  return batches;
}

function lengthOf(row: InputRow | undefined): number {
  return row && 'ids' in row ? row.ids.length : 0;
}

/** The errors that a row may cause. */
const ofRows: ReadonlySet<ErrorCode> = new Set(['backend_error', 'invalid_request', 'context_length_exceeded']);

/** The error for the client, with the path of the text in the request. */
function errorWithPath<Result>(error: unknown, batch: readonly number[], run: RowsRun<Result>): ApiError {
  const { contract, signal, field: param, pathOf } = run;
  if (error instanceof RowError && !signal.aborted)
    return new ApiError('backend_error', `${pathOf(batch[error.row] as number)}: ${error.message}.`, {
      param,
      cause: error,
    });
  const apiError = generationError(error, { contract, fields: { prompt: param }, signal });
  if (!(error instanceof StatusError) || !ofRows.has(apiError.code) || apiError.param === 'model') return apiError;
  const others = batch.length > 1 ? ` and ${batch.length - 1} others in one batch` : '';
  const path = `${pathOf(Math.min(...batch))}${others}`;
  return new ApiError(apiError.code, `${path}: ${apiError.message}`, { param, cause: apiError.cause });
}
