import type { Pattern } from './pattern.ts';

/** The most characters that a pattern may come to: libraries write repetitions out, and nested ones take very long. */
export const longestWrittenOut = 10_000;

/** How many characters a pattern has with its counted repetitions written out; nested ones multiply. */
export function writtenOut(pattern: Pattern): number {
  switch (pattern.kind) {
    case 'set':
      return 1;
    case 'sequence':
      return pattern.items.reduce((sum, item) => sum + writtenOut(item), 0);
    case 'alternatives':
      return pattern.options.reduce((sum, option) => sum + writtenOut(option), 0);
    case 'repeat':
      return writtenOut(pattern.item) * Math.max(pattern.least, pattern.most ?? 1, 1);
    case 'anchor':
      return 0;
  }
}
