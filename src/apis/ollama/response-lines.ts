import type { GenerationState, Logprob, ToolCall } from './generation-state.ts';
import type { ResponseClock } from './response-clock.ts';

/** The content of one line of a stream, or of a response that is not streamed. */
export interface Piece {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly ToolCall[];
  readonly logprobs?: readonly Logprob[];
}

/** Builds the response object of an endpoint. */
export type ResponseShape = (piece: Piece) => object;

/** Responses of POST /api/chat. */
export const chatShape: ResponseShape = ({ text = '', thinking, calls, logprobs }) => ({
  message: {
    role: 'assistant',
    content: text,
    ...(thinking === undefined ? {} : { thinking }),
    ...(calls === undefined ? {} : { tool_calls: calls }),
  },
  ...(logprobs === undefined ? {} : { logprobs }),
});

/** Responses of POST /api/generate. */
export const generateShape: ResponseShape = ({ text = '', thinking, logprobs }) => ({
  response: text,
  ...(thinking === undefined ? {} : { thinking }),
  ...(logprobs === undefined ? {} : { logprobs }),
});

/** What the lines of a response are written with. */
export interface LineContext {
  /** The name in the request. */
  readonly model: string;
  readonly shape: ResponseShape;
  readonly clock: ResponseClock;
}

/** The first members of every line. */
export function headOf({ model }: Pick<LineContext, 'model'>) {
  return { model, created_at: new Date().toISOString() };
}

/** The last line of a stream, or the only object of a response that is not streamed. */
export function lastOf(
  context: LineContext,
  piece: Piece,
  { reason, counts }: Pick<GenerationState, 'reason' | 'counts'>,
) {
  const { total, load, prompt, completion } = context.clock.durations();
  return {
    ...headOf(context),
    ...context.shape(piece),
    done: true,
    done_reason: reason,
    total_duration: total,
    load_duration: load,
    ...(counts.prompt === undefined ? {} : { prompt_eval_count: counts.prompt }),
    prompt_eval_duration: prompt,
    eval_count: counts.completion,
    eval_duration: completion,
  };
}

/** The response to a request without a prompt: the model is loaded. */
export function loadedOf(context: Pick<LineContext, 'model' | 'shape'>) {
  return { ...headOf(context), ...context.shape({}), done: true, done_reason: 'load' };
}
