import type { GenerateEvent } from '../../contracts/events.ts';
import { type AnswerPlace, lastOf } from './answer-lines.ts';
import { AnswerState, type Logprob, type ToolCall } from './answer-state.ts';

/** Folds the events of an answer into the object that an unstreamed request gets. */
export async function collectAnswer(events: AsyncIterable<readonly GenerateEvent[]>, place: AnswerPlace) {
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
  for await (const batch of events) for (const event of batch) state.push(event);
  const piece = {
    text,
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length > 0 ? { calls } : {}),
    ...(logprobs.length > 0 ? { logprobs } : {}),
  };
  return lastOf(place, piece, state);
}
