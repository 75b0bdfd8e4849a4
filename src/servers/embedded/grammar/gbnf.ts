import { type CharacterSet, characterSet, complement } from '../../../patterns/character-set.ts';
import { GrammarError } from './grammar-error.ts';

/** A character of a set, or the rule of that number. */
export type GrammarSymbol = CharacterSet | number;

/** A rule as in llama.cpp: groups and repetitions are separate rules. */
export interface GrammarRule {
  /** Its name, or that of the rule that contains it. */
  readonly name: string;
  readonly sequences: readonly (readonly GrammarSymbol[])[];
  /** Whether its first sequence ends with itself, for any number of repetitions. */
  readonly isLoop: boolean;
}

/** The rules of a grammar by their numbers. */
export interface Grammar {
  readonly rules: readonly GrammarRule[];
  readonly root: GrammarRule;
}

const blank = /(?:[ \t]|#[^\r\n]*)*/y;
const blankLines = /(?:[ \t\r\n]|#[^\r\n]*)*/y;
const ruleName = /[A-Za-z0-9-]+/y;
const lineEnd = /\r\n?|\n|$/y;
const repetition = /([*+?])|\{\s*(\d+)\s*(,\s*(\d*)\s*)?\}/y;
/** A token of the model by its number or its text. */
const modelToken = /!?<(?:\[\d+\]|[^<>\s]+)>/y;
const character = /\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\([^xuU])|([^\\])/suy;

const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Parses a text in llama.cpp's notation. Throws a GrammarError if it is invalid. */
export function parseGbnf(text: string): Grammar {
  return new GbnfParser(text).parse();
}

class GbnfParser {
  readonly #text: string;
  readonly #numbers = new Map<string, number>();
  readonly #rules: (GrammarRule | undefined)[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Grammar {
    this.#take(blankLines);
    while (this.#at < this.#text.length) this.#rule();
    for (const [name, number] of this.#numbers)
      if (!this.#rules[number]) throw new GrammarError(`the rule ${name} is not defined`);
    const root = this.#rules[this.#numbers.get('root') ?? -1];
    if (!root) throw new GrammarError('the rule root is missing');
    return { rules: this.#rules as GrammarRule[], root };
  }

  #rule(): void {
    const name = this.#expect(ruleName, 'a rule name')[0];
    this.#take(blank);
    this.#expect(/::=/y, '::=');
    this.#take(blankLines);
    this.#rules[this.#numberOf(name)] = { name, sequences: this.#alternatives(name, blank), isLoop: false };
    this.#expect(lineEnd, 'the end of the rule');
    this.#take(blankLines);
  }

  #alternatives(name: string, space: RegExp): GrammarSymbol[][] {
    const sequences = [this.#sequence(name, space)];
    while (this.#take(/\|/y)) {
      this.#take(blankLines);
      sequences.push(this.#sequence(name, space));
    }
    return sequences;
  }

  #sequence(name: string, space: RegExp): GrammarSymbol[] {
    const symbols: GrammarSymbol[] = [];
    let last = 0;
    for (;;) {
      const times = this.#take(repetition);
      if (times) this.#repeat(symbols, last, { name, ...bounds(times) });
      else {
        const item = this.#item(name);
        if (!item) return symbols;
        last = symbols.length;
        for (const symbol of item) symbols.push(symbol);
      }
      this.#take(space);
    }
  }

  #item(name: string): readonly GrammarSymbol[] | undefined {
    if (this.#take(/"/y)) return this.#literal();
    if (this.#take(/\[/y)) return [this.#class()];
    if (this.#take(/\./y)) return [complement([])];
    if (this.#take(modelToken)) return [[]];
    if (this.#take(/\(/y)) return [this.#group(name)];
    const reference = this.#take(ruleName);
    return reference ? [this.#numberOf(reference[0])] : undefined;
  }

  #literal(): CharacterSet[] {
    const characters: CharacterSet[] = [];
    while (!this.#take(/"/y)) {
      const code = this.#character();
      characters.push([[code, code]]);
    }
    return characters;
  }

  #class(): CharacterSet {
    const isTurned = this.#take(/\^/y) !== undefined;
    const ranges: [number, number][] = [];
    while (!this.#take(/\]/y)) {
      const from = this.#character();
      ranges.push([from, this.#take(/-(?!\])/y) ? this.#character() : from]);
    }
    if (ranges.length === 0) throw this.#error('a character before ]');
    return isTurned ? complement(characterSet(ranges)) : characterSet(ranges);
  }

  #character(): number {
    const [, two, four, eight, escaped, plain] = this.#expect(character, 'a character');
    const digits = two ?? four ?? eight;
    if (digits !== undefined) return Number.parseInt(digits, 16);
    return (plain ?? controls[escaped as string] ?? escaped)?.codePointAt(0) as number;
  }

  #group(name: string): number {
    this.#take(blankLines);
    const number = this.#add({ name, sequences: [], isLoop: false });
    this.#rules[number] = { name, sequences: this.#alternatives(name, blankLines), isLoop: false };
    this.#expect(/\)/y, ')');
    return number;
  }

  /** Repeats the symbols from `start` on as often as required; optional repetitions become one rule or several. */
  #repeat(symbols: GrammarSymbol[], start: number, { name, least, most }: Times & { readonly name: string }): void {
    const body = symbols.splice(start);
    if (body.length === 0 || most < least) throw this.#error('a valid repetition');
    for (let time = 0; time < least; time++) for (const symbol of body) symbols.push(symbol);
    if (most === Number.POSITIVE_INFINITY) {
      const number = this.#rules.length;
      symbols.push(this.#add({ name, sequences: [[...body, number], []], isLoop: true }));
      return;
    }
    let rest: number | undefined;
    for (let time = least; time < most; time++) {
      const more = rest === undefined ? body : body.concat([rest]);
      rest = this.#add({ name, sequences: [more, []], isLoop: false });
    }
    if (rest !== undefined) symbols.push(rest);
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#rules.length);
    return this.#rules.push(undefined) - 1;
  }

  #add(rule: GrammarRule): number {
    return this.#rules.push(rule) - 1;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text) ?? undefined;
    if (match) this.#at = pattern.lastIndex;
    return match;
  }

  #expect(pattern: RegExp, expected: string): RegExpExecArray {
    const match = this.#take(pattern);
    if (match) return match;
    throw this.#error(expected);
  }

  #error(expected: string): GrammarError {
    const lines = this.#text.slice(0, this.#at).split('\n');
    const position = `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
    return new GrammarError(`the grammar is not valid llama.cpp GBNF: expected ${expected} at ${position}`);
  }
}

interface Times {
  readonly least: number;
  readonly most: number;
}

function bounds([, sign, least, range, most]: RegExpExecArray): Times {
  if (sign !== undefined) return { least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Number.POSITIVE_INFINITY };
  const from = Number(least);
  if (range === undefined) return { least: from, most: from };
  return { least: from, most: most ? Number(most) : Number.POSITIVE_INFINITY };
}
