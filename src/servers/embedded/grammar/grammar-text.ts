import type { CharacterSet } from '../../../patterns/character-set.ts';

/** A character set as a character class of a grammar. */
export function classText(set: CharacterSet): string {
  return `[${set.map(([from, to]) => (from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`)).join('')}]`;
}

/** A text as a literal of a grammar. */
export function literalText(text: string): string {
  return `"${Array.from(text, (character) => escaped(character.codePointAt(0) as number)).join('')}"`;
}

const asTheyAre = new Set(
  Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 _:,.{}()<>=+*/!?;@#$%&|~', (character) =>
    character.charCodeAt(0),
  ),
);

function escaped(code: number): string {
  if (asTheyAre.has(code)) return String.fromCodePoint(code);
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}
