import type { CharacterSet } from './character-set.ts';

/** A regular expression after it was read. A group is what it holds; lazy and greedy repetitions match the same texts. */
export type Pattern =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly items: readonly Pattern[] }
  | { readonly kind: 'alternatives'; readonly options: readonly Pattern[] }
  | {
      readonly kind: 'repeat';
      readonly item: Pattern;
      readonly least: number;
      /** Undefined: without a limit. */
      readonly most: number | undefined;
    }
  | { readonly kind: 'anchor'; readonly edge: 'start' | 'end'; readonly position: number };

/** A regular expression that is malformed, or has a feature that the libraries behind structured outputs do not share. */
export class PatternError extends Error {
  /** Where in the text of the pattern, from 0. */
  readonly position: number;

  constructor(message: string, position: number) {
    super(`${message} (position ${position})`);
    this.position = position;
  }
}

/** One character. */
export function character(code: number): Pattern {
  return { kind: 'set', set: [[code, code]] };
}

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
