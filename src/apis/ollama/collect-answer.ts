import type { Generation } from '../../contracts/events.ts';
import { runInto } from '../../generate/run-into.ts';
import { type AnswerPlace, lastOf } from './answer-lines.ts';
import { AnswerState, type Logprob, type ToolCall } from './answer-state.ts';

/** Collects the events of a generation into the response of a request that is not streamed. */
export async function collectAnswer(generation: Generation, place: AnswerPlace) {
  let text = '';
  let thinking = '';
  const calls: ToolCall[] = [];
  const logprobs: Logprob[] = [];
  const state = new AnswerState({
    text: (piece, known) => {
      text += piece;
      for (const logprob of known ?? []) logprobs.push(logprob);
    },
    thinking: (piece) => (thinking += piece),
    call: (call) => calls.push(call),
  });
  await runInto(generation, state);
  const piece = {
    text,
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length > 0 ? { calls } : {}),
    ...(logprobs.length > 0 ? { logprobs } : {}),
  };
  return lastOf(place, piece, state);
}
