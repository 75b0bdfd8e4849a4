import { type Api, unreachable } from '../lib/api.ts';
import { isAbort, messageOf } from '../lib/request-error.ts';
import type { Figures } from './conversation.ts';
import { readEvents } from './event-reader.ts';
import type { ChatRequest } from './request.ts';
import { emptyResponse, type PartialResponse, withChunk } from './response.ts';

interface AskOptions {
  readonly signal: AbortSignal;
  /** Called after each chunk with the whole response so far. */
  readonly onChange: (response: PartialResponse) => void;
  readonly now?: () => number;
}

/** A response that is complete, failed or stopped. */
export interface EndedResponse {
  readonly response: PartialResponse;
  readonly errorText?: string;
  readonly figures: Figures;
}

/** Sends a request and reads its stream. The text that arrived before a failure or stop is part of the result. */
export async function ask(
  api: Pick<Api, 'send'>,
  request: ChatRequest,
  { signal, onChange, now = () => performance.now() }: AskOptions,
): Promise<EndedResponse> {
  const startedAt = now();
  let response = emptyResponse;
  let first: number | undefined;
  let last = startedAt;
  let errorText: string | undefined;
  try {
    for await (const data of events(api, request, signal)) {
      response = withChunk(response, data);
      if (response.pieces > 0) first ??= now();
      last = now();
      onChange(response);
    }
  } catch (error) {
    if (signal.aborted || isAbort(error)) response = { ...response, finish: 'stopped' };
    else errorText = messageOf(error);
  }
  const figures = figuresOf(response, { startedAt, first, last });
  return { response, figures, ...(errorText === undefined ? {} : { errorText }) };
}

/** The chunks of a stream, up to `[DONE]`. */
async function* events(api: Pick<Api, 'send'>, request: ChatRequest, signal: AbortSignal): AsyncGenerator<string> {
  const { body } = await api.send('v1/chat/completions', { body: request, signal });
  if (body === null) throw unreachable();
  try {
    for await (const data of readEvents(body)) {
      if (data === '[DONE]') return;
      yield data;
    }
  } catch (error) {
    // Each browser has its own message for a lost connection.
    throw error instanceof TypeError ? brokenOff() : error;
  }
  throw brokenOff();
}

function brokenOff(): Error {
  return new Error('The connection was lost before the response was complete.');
}

function figuresOf(
  { tokens, pieces }: PartialResponse,
  { startedAt, first, last }: { readonly startedAt: number; readonly first: number | undefined; readonly last: number },
): Figures {
  const count = tokens ?? pieces;
  const seconds = first === undefined ? 0 : (last - first) / 1000;
  return {
    firstToken: first === undefined ? undefined : first - startedAt,
    total: last - startedAt,
    tokens: count,
    // The rate starts at the first token.
    tokensPerSecond: seconds > 0 && count > 1 ? (count - 1) / seconds : undefined,
    isEstimate: tokens === undefined,
  };
}
