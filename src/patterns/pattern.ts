import type { CharacterSet } from './character-set.ts';

/** A parsed regular expression. A group is its content; lazy and greedy repetitions match the same texts. */
export type Pattern =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly items: readonly Pattern[] }
  | { readonly kind: 'alternatives'; readonly options: readonly Pattern[] }
  | {
      readonly kind: 'repeat';
      readonly item: Pattern;
      readonly least: number;
      /** Undefined: no limit. */
      readonly most: number | undefined;
    }
  | { readonly kind: 'anchor'; readonly edge: 'start' | 'end'; readonly position: number };

/** A regular expression that is malformed, or uses a feature that some structured-output libraries lack. */
export class PatternError extends Error {
  /** The offset in the pattern, from 0. */
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

/** The limit on expanded characters: libraries expand repetitions, and nested ones take very long. */
export const longestWrittenOut = 10_000;

/** The number of characters of a pattern with its counted repetitions expanded; nested ones multiply. */
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
