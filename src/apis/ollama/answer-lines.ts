import type { AnswerClock } from './answer-clock.ts';
import type { AnswerState, Logprob, ToolCall } from './answer-state.ts';

/** What a line tells of an answer, or the only object of one that is not streamed. */
export interface Piece {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly ToolCall[];
  readonly logprobs?: readonly Logprob[];
}

/** How the answers of a path look. */
export type AnswerShape = (piece: Piece) => object;

/** The answers of POST /api/chat. */
export const chatShape: AnswerShape = ({ text = '', thinking, calls, logprobs }) => ({
  message: {
    role: 'assistant',
    content: text,
    ...(thinking === undefined ? {} : { thinking }),
    ...(calls === undefined ? {} : { tool_calls: calls }),
  },
  ...(logprobs === undefined ? {} : { logprobs }),
});

/** The answers of POST /api/generate. */
export const generateShape: AnswerShape = ({ text = '', thinking, logprobs }) => ({
  response: text,
  ...(thinking === undefined ? {} : { thinking }),
  ...(logprobs === undefined ? {} : { logprobs }),
});

/** What an answer is written with. */
export interface AnswerPlace {
  /** As the request named it. */
  readonly model: string;
  readonly shape: AnswerShape;
  readonly clock: AnswerClock;
}

/** The members that every line begins with. */
export function headOf({ model }: Pick<AnswerPlace, 'model'>) {
  return { model, created_at: new Date().toISOString() };
}

/** The last line of an answer, or its only one. */
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

/** The answer to a request that says nothing: the model is there. */
export function loadedOf(place: Pick<AnswerPlace, 'model' | 'shape'>) {
  return { ...headOf(place), ...place.shape({}), done: true, done_reason: 'load' };
}
