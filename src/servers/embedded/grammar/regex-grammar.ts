import { type CharacterSet, characterSet, complement, without } from '../../../patterns/character-set.ts';
import { classText, literalText } from './grammar-text.ts';

/** A pattern, or a part of one, that a grammar cannot express. */
export class GrammarError extends Error {
  /** Where it stands in a schema: `.properties.a.pattern`. */
  readonly place: string;

  constructor(message: string, place = '') {
    super(message);
    this.place = place;
  }
}

/** How the characters of a match are written down. */
export interface Notation {
  /** Characters that must not stand as they are. */
  readonly forbidden: CharacterSet;
  /** What stands for such a character instead. */
  readonly escape: (code: number) => string;
}

/** Characters as they are. */
export const plain: Notation = { forbidden: [], escape: (code) => String.fromCodePoint(code) };

/** Characters inside a JSON text. */
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

/** llama.cpp refuses more repetitions than this, in silence. */
const mostRepetitions = 2000;
const deepest = 100;
const longest = 8192;

const digits = characterSet([[0x30, 0x39]]);
const spaces = characterSet([
  [9, 13],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);
const words = characterSet([
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]);
const lineEnds = characterSet([
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
]);
const classes: Readonly<Record<string, CharacterSet>> = {
  d: digits,
  D: complement(digits),
  s: spaces,
  S: complement(spaces),
  w: words,
  W: complement(words),
};
const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, 0: 0 };

/**
 * The right-hand side of a grammar's rule for a regular expression that the whole text must match. Throws a
 * GrammarError for what goes beyond regular: looking around, references, word borders.
 */
export function regexGrammar(pattern: string, notation: Notation = plain): string {
  if (pattern.length > longest) throw new GrammarError(`the pattern is longer than ${longest} characters`);
  return new RegexReader(pattern, notation).read();
}

class RegexReader {
  readonly #characters: readonly string[];
  readonly #notation: Notation;
  #at = 0;
  #depth = 0;

  constructor(pattern: string, notation: Notation) {
    this.#characters = Array.from(pattern);
    this.#notation = notation;
  }

  read(): string {
    // A match of the whole text is what is wanted, so the anchors at its ends say nothing new.
    if (this.#peek() === '^') this.#at += 1;
    const text = this.#alternatives();
    if (this.#at < this.#characters.length) throw this.#fault(`'${this.#peek()}' is not expected`);
    return text;
  }

  #alternatives(): string {
    if (++this.#depth > deepest) throw this.#fault('it is nested too deeply');
    const parts = [this.#sequence()];
    while (this.#peek() === '|') {
      this.#at += 1;
      parts.push(this.#sequence());
    }
    this.#depth -= 1;
    return parts.length === 1 ? (parts[0] as string) : `(${parts.join(' | ')})`;
  }

  #sequence(): string {
    const parts: string[] = [];
    for (;;) {
      const next = this.#peek();
      if (next === undefined || next === '|' || next === ')') break;
      if (next === '$') {
        this.#at += 1;
        const after = this.#peek();
        if (after !== undefined && after !== '|' && after !== ')') throw this.#fault('$ stands before the end');
        continue;
      }
      parts.push(this.#quantified(this.#atom()));
    }
    return parts.length === 0 ? '""' : parts.join(' ');
  }

  #quantified(atom: string): string {
    const next = this.#peek();
    let suffix = '';
    if (next === '*' || next === '+' || next === '?') {
      this.#at += 1;
      suffix = next;
    } else if (next === '{') suffix = this.#bounds() ?? '';
    // Lazy or greedy: the texts that match are the same.
    if (suffix !== '' && this.#peek() === '?') this.#at += 1;
    else if (suffix !== '' && this.#peek() === '+') throw this.#fault('possessive quantifiers are not supported');
    return suffix === '' ? atom : `${atom}${suffix}`;
  }

  #bounds(): string | undefined {
    const rest = this.#characters.slice(this.#at, this.#at + 24).join('');
    const match = /^\{(\d+)(,(\d*))?\}/.exec(rest);
    if (!match) return undefined;
    const least = Number(match[1]);
    const most = match[2] === undefined ? least : match[3] === '' ? undefined : Number(match[3]);
    if (most !== undefined && most < least) throw this.#fault(`${match[0]} is out of order`);
    if (Math.max(least, most ?? 0) > mostRepetitions)
      throw this.#fault(`${match[0]} repeats more than ${mostRepetitions} times`);
    this.#at += match[0].length;
    return `{${least},${most ?? ''}}`;
  }

  #atom(): string {
    const character = this.#take();
    if (character === '(') return this.#group();
    if (character === '[') return this.#write(this.#class());
    if (character === '.') return this.#write(complement(lineEnds));
    if (character === '\\') {
      const escape = this.#escape();
      return typeof escape === 'number' ? this.#literal(escape) : this.#write(escape);
    }
    if (character === '^') throw this.#fault('^ stands after the beginning');
    if (character === '*' || character === '+' || character === '?')
      throw this.#fault(`'${character}' has nothing to repeat`);
    return this.#literal(character.codePointAt(0) as number);
  }

  #group(): string {
    if (this.#peek() === '?') {
      const opening = this.#characters.slice(this.#at, this.#at + 3).join('');
      const name = /^\?P?<[A-Za-z_]\w*>/.exec(this.#characters.slice(this.#at, this.#at + 80).join(''));
      if (opening.startsWith('?:')) this.#at += 2;
      else if (name) this.#at += name[0].length;
      else throw this.#fault('looking around and inline flags are not supported');
    }
    const text = this.#alternatives();
    if (this.#take() !== ')') throw this.#fault('a group is not closed');
    return `(${text})`;
  }

  #class(): CharacterSet {
    const isNegated = this.#peek() === '^';
    if (isNegated) this.#at += 1;
    const ranges: (readonly [number, number])[] = [];
    while (this.#peek() !== ']') {
      const from = this.#classItem();
      if (typeof from !== 'number') {
        ranges.push(...from);
        continue;
      }
      const isRange =
        this.#peek() === '-' && this.#characters[this.#at + 1] !== ']' && this.#characters[this.#at + 1] !== undefined;
      if (isRange) this.#at += 1;
      const to = isRange ? this.#classItem() : from;
      if (typeof to !== 'number' || to < from) throw this.#fault('a range of a class is out of order');
      ranges.push([from, to]);
    }
    this.#at += 1;
    const set = characterSet(ranges);
    return isNegated ? complement(set) : set;
  }

  #classItem(): number | CharacterSet {
    const character = this.#take();
    if (character !== '\\') return character.codePointAt(0) as number;
    if (this.#peek() !== 'b') return this.#escape();
    this.#at += 1;
    return 8;
  }

  #escape(): number | CharacterSet {
    const character = this.#take();
    const set = classes[character];
    if (set) return set;
    const control = controls[character];
    if (control !== undefined) return control;
    if (character === 'x' || character === 'u') return this.#hexadecimal(character);
    if (/[1-9k]/.test(character)) throw this.#fault('references back are not supported');
    if (character === 'b' || character === 'B') throw this.#fault('word borders are not supported');
    if (/[A-Za-z]/.test(character)) throw this.#fault(`\\${character} is not supported`);
    return character.codePointAt(0) as number;
  }

  #hexadecimal(kind: 'x' | 'u'): number {
    const rest = this.#characters.slice(this.#at, this.#at + 10).join('');
    const match = kind === 'x' ? /^([\da-f]{2})/i.exec(rest) : /^([\da-f]{4})|^\{([\da-f]{1,6})\}/i.exec(rest);
    if (!match) throw this.#fault(`\\${kind} has no number`);
    this.#at += match[0].length;
    return Number.parseInt(match[1] ?? (match[2] as string), 16);
  }

  #literal(code: number): string {
    return this.#write([[code, code]]);
  }

  /** One character of the set, the way that the notation writes it. */
  #write(set: CharacterSet): string {
    const { forbidden, escape } = this.#notation;
    const direct = without(set, forbidden);
    if (direct.length > 0) {
      const [first] = direct;
      const isOne = direct.length === 1 && first?.[0] === first?.[1];
      return isOne ? literalText(String.fromCodePoint(first?.[0] as number)) : classText(direct);
    }
    const codes = set.flatMap(([from, to]) =>
      Array.from({ length: Math.min(to - from + 1, 64) }, (_, index) => from + index),
    );
    if (codes.length === 0) throw this.#fault('a class matches no character');
    const texts = codes.map((code) => literalText(escape(code)));
    return texts.length === 1 ? (texts[0] as string) : `(${texts.join(' | ')})`;
  }

  #peek(): string | undefined {
    return this.#characters[this.#at];
  }

  #take(): string {
    const character = this.#characters[this.#at];
    if (character === undefined) throw this.#fault('it ends too early');
    this.#at += 1;
    return character;
  }

  #fault(reason: string): GrammarError {
    return new GrammarError(`the pattern cannot be used: ${reason}`);
  }
}
