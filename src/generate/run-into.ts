import type { EventFold, Generation, RunningGeneration } from '../contracts/events.ts';

/** Runs a generation to its end: resolves when the fold has all events, rejects if it fails. */
export function runInto(
  generation: Generation,
  fold: EventFold,
  onStart?: (running: RunningGeneration) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const running = generation.start({
      text: (choice, text, tokens, logprobs) => fold.text(choice, text, tokens, logprobs),
      event: (event) => fold.event(event),
      end: resolve,
      fail: reject,
    });
    onStart?.(running);
  });
}
