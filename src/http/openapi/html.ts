import { escapeText } from '../../escape-text.ts';

/** A text as code. */
export function code(text: string): string {
  return `<code>${escapeText(text)}</code>`;
}
