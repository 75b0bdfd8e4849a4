import { type Api, unreachable } from '../lib/api.ts';
import { faultText, isAbort } from '../lib/fault.ts';
import { type Answer, noAnswer, withChunk } from './answer.ts';
import type { Figures } from './conversation.ts';
import { readEvents } from './event-reader.ts';
import type { ChatRequest } from './request.ts';

interface AskOptions {
  readonly signal: AbortSignal;
  /** Called after each chunk with the whole response so far. */
  readonly onChange: (answer: Answer) => void;
  readonly now?: () => number;
}

/** A response that is complete, failed or stopped. */
export interface EndedAnswer {
  readonly answer: Answer;
  readonly fault?: string;
  readonly figures: Figures;
}

/** Sends a request and reads its stream. The text that arrived before a failure or stop is part of the result. */
export async function ask(
  api: Pick<Api, 'send'>,
  request: ChatRequest,
  { signal, onChange, now = () => performance.now() }: AskOptions,
): Promise<EndedAnswer> {
  const begun = now();
  let answer = noAnswer;
  let first: number | undefined;
  let last = begun;
  let fault: string | undefined;
  try {
    for await (const data of events(api, request, signal)) {
      answer = withChunk(answer, data);
      if (answer.pieces > 0) first ??= now();
      last = now();
      onChange(answer);
    }
  } catch (error) {
    if (signal.aborted || isAbort(error)) answer = { ...answer, finish: 'stopped' };
    else fault = faultText(error);
  }
  const figures = figuresOf(answer, { begun, first, last });
  return { answer, figures, ...(fault === undefined ? {} : { fault }) };
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
  { tokens, pieces }: Answer,
  { begun, first, last }: { readonly begun: number; readonly first: number | undefined; readonly last: number },
): Figures {
  const count = tokens ?? pieces;
  const seconds = first === undefined ? 0 : (last - first) / 1000;
  return {
    firstToken: first === undefined ? undefined : first - begun,
    total: last - begun,
    tokens: count,
    // The rate starts at the first token.
    tokensPerSecond: seconds > 0 && count > 1 ? (count - 1) / seconds : undefined,
    isEstimate: tokens === undefined,
  };
}
