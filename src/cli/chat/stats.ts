import type { Usage } from './chat-response.ts';
import type { ChatResult } from './server.ts';

/** One line about a response: `12 tokens in, 34 out, first after 56 ms, 78.9 tokens/s`. */
export function statsText({ response: { usage }, timing: { toFirst, fromFirst } }: ChatResult): string {
  const facts = [
    ...(usage ? [`${usage.prompt} tokens in, ${usage.completion} out`] : ['no usage from the server']),
    ...(toFirst === undefined ? [] : [`first after ${toFirst.toFixed(0)} ms`]),
    // A response in one piece has no rate.
    ...(usage && usage.completion > 1 && fromFirst > 0
      ? [`${((usage.completion - 1) / (fromFirst / 1000)).toFixed(1)} tokens/s`]
      : []),
  ];
  return facts.join(', ');
}

/** All responses together. */
export function totalText({ prompt, completion }: Usage): string {
  return `${prompt} tokens in, ${completion} out in all`;
}

/** Why a response is incomplete or empty, and how to raise the token limit; undefined for a complete one. */
export function endText(
  { response: { finishReason, text, calls }, wasStopped }: ChatResult,
  longer: '/set max_tokens N' | '--set max_tokens=N',
): string | undefined {
  if (wasStopped) return 'stopped';
  if (finishReason === 'length') return `stopped at the token limit: raise it with ${longer}`;
  if (finishReason === 'content_filter') return "stopped by the server's content filter";
  return text === '' && calls.length === 0 ? 'empty response' : undefined;
}
