import { type CharacterSet, characterSet, without } from '../../../patterns/character-set.ts';
import { fullMatch } from '../../../patterns/full-match.ts';
import { type Pattern, PatternError } from '../../../patterns/pattern.ts';
import { javaScriptDialect } from '../../../patterns/read-escape.ts';
import { readPattern } from '../../../patterns/read-pattern.ts';
import { GrammarError } from './grammar-error.ts';
import { classText, literalText } from './grammar-text.ts';

/** How the characters of a match are written. */
interface Notation {
  /** Characters that must be escaped. */
  readonly forbidden: CharacterSet;
  /** The escaped text of a forbidden character. */
  readonly escape: (code: number) => string;
}

const plain: Notation = { forbidden: [], escape: (code) => String.fromCodePoint(code) };

/** Characters inside a JSON string. */
export const insideJson: Notation = {
  forbidden: characterSet([
    [0, 0x1f],
    [0x22, 0x22],
    [0x5c, 0x5c],
    [0x7f, 0x7f],
    [0xd800, 0xdfff],
  ]),
  escape: (code) => JSON.stringify(String.fromCodePoint(code)).slice(1, -1),
};

const longest = 8192;
/** The maximum number of escaped characters of a class. */
const mostEscaped = 64;

/**
 * The right-hand side of a grammar's rule for a regular expression that the whole text must match. Throws a
 * GrammarError for features beyond regular languages.
 */
export function regexGrammar(pattern: string, notation: Notation = plain): string {
  if (pattern.length > longest) throw new GrammarError(`the pattern is longer than ${longest} characters`);
  try {
    return written(fullMatch(readPattern(pattern, javaScriptDialect)), notation);
  } catch (error) {
    throw error instanceof PatternError ? new GrammarError(`the pattern cannot be used: ${error.message}`) : error;
  }
}

function written(pattern: Pattern, notation: Notation): string {
  switch (pattern.kind) {
    case 'set':
      return oneOf(pattern.set, notation);
    case 'sequence':
      return pattern.items.map((item) => written(item, notation)).join(' ') || '""';
    case 'alternatives':
      return `(${pattern.options.map((option) => written(option, notation)).join(' | ')})`;
    case 'repeat': {
      const { item, least, most } = pattern;
      const isAtom = item.kind === 'set' || item.kind === 'alternatives';
      return `${isAtom ? written(item, notation) : `(${written(item, notation)})`}${quantifier(least, most)}`;
    }
    case 'anchor':
      throw new Error('A pattern must be written without its anchors.');
  }
}

function quantifier(least: number, most: number | undefined): string {
  if (most === undefined) return least === 0 ? '*' : least === 1 ? '+' : `{${least},}`;
  return least === 0 && most === 1 ? '?' : `{${least},${most}}`;
}

/** One character of the set in this notation. If some need no escape, only those are allowed. */
function oneOf(set: CharacterSet, { forbidden, escape }: Notation): string {
  const direct = without(set, forbidden);
  const [first] = direct;
  if (first) {
    const isOne = direct.length === 1 && first[0] === first[1];
    return isOne ? literalText(String.fromCodePoint(first[0])) : classText(direct);
  }
  const texts = set.flatMap(([from, to]) =>
    Array.from({ length: Math.min(to - from + 1, mostEscaped) }, (_, index) => literalText(escape(from + index))),
  );
  return texts.length === 1 ? (texts[0] as string) : `(${texts.join(' | ')})`;
}
