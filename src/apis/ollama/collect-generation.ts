import type { Generation } from '../../contracts/events.ts';
import { runInto } from '../../generate/run-into.ts';
import { GenerationState, type Logprob, type ToolCall } from './generation-state.ts';
import { type LineContext, lastOf } from './response-lines.ts';

/** Collects the events of a generation into the response of a request that is not streamed. */
export async function collectGeneration(generation: Generation, context: LineContext) {
  let text = '';
  let thinking = '';
  const calls: ToolCall[] = [];
  const logprobs: Logprob[] = [];
  const state = new GenerationState({
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
  return lastOf(context, piece, state);
}
