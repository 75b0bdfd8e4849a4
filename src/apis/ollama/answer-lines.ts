import type { AnswerClock } from './answer-clock.ts';
import type { AnswerState, Logprob, ToolCall } from './answer-state.ts';

/** The content of one line of a stream, or of a response that is not streamed. */
export interface Piece {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly ToolCall[];
  readonly logprobs?: readonly Logprob[];
}

/** Builds the response object of an endpoint. */
export type AnswerShape = (piece: Piece) => object;

/** Responses of POST /api/chat. */
export const chatShape: AnswerShape = ({ text = '', thinking, calls, logprobs }) => ({
  message: {
    role: 'assistant',
    content: text,
    ...(thinking === undefined ? {} : { thinking }),
    ...(calls === undefined ? {} : { tool_calls: calls }),
  },
  ...(logprobs === undefined ? {} : { logprobs }),
});

/** Responses of POST /api/generate. */
export const generateShape: AnswerShape = ({ text = '', thinking, logprobs }) => ({
  response: text,
  ...(thinking === undefined ? {} : { thinking }),
  ...(logprobs === undefined ? {} : { logprobs }),
});

/** What the lines of a response are written with. */
export interface AnswerPlace {
  /** The name in the request. */
  readonly model: string;
  readonly shape: AnswerShape;
  readonly clock: AnswerClock;
}

/** The first members of every line. */
export function headOf({ model }: Pick<AnswerPlace, 'model'>) {
  return { model, created_at: new Date().toISOString() };
}

/** The last line of a stream, or the only object of a response that is not streamed. */
export function lastOf(place: AnswerPlace, piece: Piece, { reason, counts }: Pick<AnswerState, 'reason' | 'counts'>) {
  const { total, load, prompt, answer } = place.clock.durations();
  return {
    ...headOf(place),
    ...place.shape(piece),
    done: true,
    done_reason: reason,
    total_duration: total,
    load_duration: load,
    ...(counts.prompt === undefined ? {} : { prompt_eval_count: counts.prompt }),
    prompt_eval_duration: prompt,
    eval_count: counts.answer,
    eval_duration: answer,
  };
}

/** The response to a request without a prompt: the model is loaded. */
export function loadedOf(place: Pick<AnswerPlace, 'model' | 'shape'>) {
  return { ...headOf(place), ...place.shape({}), done: true, done_reason: 'load' };
}
