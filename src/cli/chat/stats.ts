import type { Usage } from './answer.ts';
import type { Answered } from './server.ts';

/** One line on an answer: `12 tokens in, 34 out, first after 56 ms, 78.9 tokens/s`. */
export function statsText({ answer: { usage }, timing: { toFirst, fromFirst } }: Answered): string {
  const facts = [
    ...(usage ? [`${usage.prompt} tokens in, ${usage.completion} out`] : ['no usage from the server']),
    ...(toFirst === undefined ? [] : [`first after ${toFirst.toFixed(0)} ms`]),
    // An answer that came whole has no rate.
    ...(usage && usage.completion > 1 && fromFirst > 0
      ? [`${((usage.completion - 1) / (fromFirst / 1000)).toFixed(1)} tokens/s`]
      : []),
  ];
  return facts.join(', ');
}

/** All answers together. */
export function totalText({ prompt, completion }: Usage): string {
  return `${prompt} tokens in, ${completion} out in all`;
}

/** Why an answer is not all there is, and what allows a longer one; undefined where it is all. */
export function endText(
  { answer: { finishReason, text, calls }, wasStopped }: Answered,
  longer: '/set max_tokens N' | '--set max_tokens=N',
): string | undefined {
  if (wasStopped) return 'stopped';
  if (finishReason === 'length') return `cut off at its longest length: ${longer} allows more`;
  if (finishReason === 'content_filter') return 'cut off by the filter of the server';
  return text === '' && calls.length === 0 ? 'an answer without text' : undefined;
}
