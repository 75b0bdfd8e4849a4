import type { Rate, RateState } from '../limits/rates.ts';

/** The state of a rate limit in OpenAI's headers. */
export function rateHeaders(
  kind: 'requests' | 'tokens',
  { perMinute }: Rate,
  { left, fullIn }: RateState,
): Record<string, string> {
  return {
    [`x-ratelimit-limit-${kind}`]: String(perMinute),
    [`x-ratelimit-remaining-${kind}`]: String(Math.max(0, left)),
    [`x-ratelimit-reset-${kind}`]: timeText(fullIn),
  };
}

/** `120ms`, `6s` or `1m30s`, as OpenAI writes it. */
function timeText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.ceil(milliseconds)}ms`;
  const seconds = Math.ceil(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds % 60}s`;
}
