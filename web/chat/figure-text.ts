import { numberText, timeText } from '../lib/number-text.ts';
import type { Figures } from './conversation.ts';

/** The timings of a response as text. */
export function figureText({ firstToken, tokens, tokensPerSecond, total, isEstimate }: Figures): string {
  const about = isEstimate ? '≈ ' : '';
  const words = [
    firstToken === undefined ? undefined : `first token ${timeText(firstToken)}`,
    tokensPerSecond === undefined ? undefined : `${about}${numberText(tokensPerSecond)} tokens/s`,
    tokens === 0 ? undefined : `${about}${tokens} tokens in ${timeText(total)}`,
  ];
  return words.filter((word) => word !== undefined).join(' · ');
}
