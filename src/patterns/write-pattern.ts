import { type CharacterSet, characterSet, complement, without } from './character-set.ts';
import type { Pattern } from './pattern.ts';

/** A pattern in a syntax that xgrammar and llguidance read in the same way. */
export interface WrittenPattern {
  readonly text: string;
  /** Whether it matches no text that the original does not match. */
  readonly isExact: boolean;
}

const afterAscii = 0x80;
const ascii = characterSet([[0, afterAscii - 1]]);
const surrogates = characterSet([[0xd800, 0xdfff]]);
const beyondAscii = without(complement(ascii), surrogates);

/** xgrammar reads classes by byte, so few characters beyond ASCII are written as alternatives. */
const mostAlternatives = 64;

/** Characters that need no escape in any syntax. Beyond ASCII: visible characters. */
const plainAscii = /^[A-Za-z0-9 _,:;=@!%']$/;
const visible = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;

/** Writes a pattern without anchors; undefined if it matches no text without the forbidden characters. */
export function writePattern(pattern: Pattern, forbidden: CharacterSet = []): WrittenPattern | undefined {
  const writer = new PatternWriter(forbidden);
  const part = writer.part(pattern);
  if (part === undefined) return undefined;
  return { text: part.text === '' ? '(?:)' : part.text, isExact: writer.isExact };
}

/** Writes a literal text. It contains no NUL and no half of a surrogate pair. */
export function writeLiteral(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9 _]/gu, (character) => one(character.codePointAt(0) as number));
}

interface Part {
  readonly text: string;
  /** Its precedence: a quantifier after an atom applies to all of it. */
  readonly kind: 'atom' | 'sequence' | 'alternatives';
}

const empty: Part = { text: '', kind: 'sequence' };

class PatternWriter {
  readonly #forbidden: CharacterSet;
  readonly #sets = new Map<string, Part | undefined>();
  isExact = true;

  constructor(forbidden: CharacterSet) {
    this.#forbidden = characterSet([[0, 0], ...surrogates, ...forbidden]);
  }

  /** Undefined if it matches nothing. */
  part(pattern: Pattern): Part | undefined {
    switch (pattern.kind) {
      case 'set':
        return this.#character(pattern.set) ?? this.#known(pattern.set);
      case 'sequence':
        return this.#sequence(pattern.items);
      case 'alternatives':
        return this.#alternatives(pattern.options);
      case 'repeat':
        return this.#repeat(pattern);
      case 'anchor':
        throw new Error('A pattern must be written without its anchors');
    }
  }

  /** Most sets are one character, which needs no set operations. */
  #character([first, second]: CharacterSet): Part | undefined {
    if (first === undefined || second !== undefined || first[0] !== first[1]) return undefined;
    const [code] = first;
    const isForbidden = this.#forbidden.some(([from, to]) => from <= code && code <= to);
    return isForbidden ? undefined : { text: one(code), kind: 'atom' };
  }

  /** Cached, because the same classes repeat in a pattern. */
  #known(set: CharacterSet): Part | undefined {
    const key = set.join(';');
    if (!this.#sets.has(key)) this.#sets.set(key, this.#set(without(set, this.#forbidden)));
    return this.#sets.get(key);
  }

  #sequence(items: readonly Pattern[]): Part | undefined {
    const parts: Part[] = [];
    for (const item of items) {
      const part = this.part(item);
      if (part === undefined) return undefined;
      if (part.text !== '') parts.push(part);
    }
    const [only] = parts;
    if (only && parts.length === 1) return only;
    const text = parts.map((part) => (part.kind === 'alternatives' ? grouped(part) : part.text)).join('');
    return { text, kind: 'sequence' };
  }

  #alternatives(options: readonly Pattern[]): Part | undefined {
    const texts = new Set<string>();
    for (const option of options) {
      const part = this.part(option);
      // xgrammar rejects an empty alternative.
      if (part) texts.add(part.text === '' ? '(?:)' : part.text);
    }
    if (texts.size === 0) return undefined;
    const [only = ''] = texts;
    if (texts.size === 1) return only === '(?:)' ? empty : { text: only, kind: 'alternatives' };
    return { text: [...texts].join('|'), kind: 'alternatives' };
  }

  #repeat({ item, least, most }: Extract<Pattern, { kind: 'repeat' }>): Part | undefined {
    if (most === 0) return empty;
    const part = this.part(item);
    if (part === undefined) return least === 0 ? empty : undefined;
    if (part.text === '' || (least === 1 && most === 1)) return part;
    const text = part.kind === 'atom' ? part.text : grouped(part);
    const isRange = most !== undefined && most > least && most > 1;
    // xgrammar expands a range once for every count, which multiplies if ranges are nested.
    if (part.kind === 'atom' || !isRange) return { text: text + quantifier(least, most), kind: 'sequence' };
    const must = least === 0 ? '' : text + quantifier(least, least);
    return { text: `${must}(?:${text}?)${quantifier(most - least, most - least)}`, kind: 'sequence' };
  }

  #set(set: CharacterSet): Part | undefined {
    if (set.length === 0) return undefined;
    const low = without(set, complement(ascii));
    const high = without(set, ascii);
    if (high.length === 0)
      return { text: codesOf(low, 2).length === 1 ? one(low[0]?.[0] as number) : classOf(low), kind: 'atom' };
    const codes = codesOf(high, mostAlternatives + 1);
    if (codes.length <= mostAlternatives) return fewBeyondAscii(low, codes);
    // The libraries read only single characters or all of them correctly.
    if (without(beyondAscii, high).length > 0) this.isExact = false;
    return { text: `[^${rangesOf(without(ascii, low))}]`, kind: 'atom' };
  }
}

function fewBeyondAscii(low: CharacterSet, codes: readonly number[]): Part {
  const texts = [...(low.length > 0 ? [classOf(low)] : []), ...codes.map((code) => one(code))];
  return texts.length === 1
    ? { text: texts[0] as string, kind: 'atom' }
    : { text: `(?:${texts.join('|')})`, kind: 'atom' };
}

function grouped({ text }: Part): string {
  return `(?:${text})`;
}

function quantifier(least: number, most: number | undefined): string {
  if (most === undefined) return least === 0 ? '*' : least === 1 ? '+' : `{${least},}`;
  if (least === 0 && most === 1) return '?';
  if (least === most) return least === 1 ? '' : `{${least}}`;
  return `{${least},${most}}`;
}

/** The first characters of a set. */
function codesOf(set: CharacterSet, most: number): number[] {
  const codes: number[] = [];
  for (const [from, to] of set) for (let code = from; code <= to && codes.length < most; code++) codes.push(code);
  return codes;
}

function classOf(set: CharacterSet): string {
  return `[${rangesOf(set)}]`;
}

function rangesOf(set: CharacterSet): string {
  return set
    .map(([from, to]) => (from === to ? inClass(from) : `${inClass(from)}${to === from + 1 ? '' : '-'}${inClass(to)}`))
    .join('');
}

function inClass(code: number): string {
  return /^[A-Za-z0-9]$/.test(String.fromCodePoint(code)) ? String.fromCodePoint(code) : one(code, false);
}

/** xgrammar reads any number of digits after `\x`, so that escape is never written. */
function one(code: number, isPlain = true): string {
  const text = String.fromCodePoint(code);
  const isVisible = code < afterAscii ? isPlain && plainAscii.test(text) : visible.test(text);
  if (isVisible) return text;
  const digits = code.toString(16);
  return code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`;
}
