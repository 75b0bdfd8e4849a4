/** A part of a rule. */
export type GrammarNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'class'; readonly isNegated: boolean; readonly ranges: readonly CharacterRange[] }
  | { readonly kind: 'rule'; readonly name: string; readonly at: number }
  | { readonly kind: 'group'; readonly alternatives: Alternatives }
  | { readonly kind: 'repeat'; readonly node: GrammarNode; readonly least: number; readonly most: number | undefined };

/** Code points, both ends included. */
export type CharacterRange = readonly [first: number, last: number];

/** Alternative sequences of parts; a sequence may be empty. */
export type Alternatives = readonly (readonly GrammarNode[])[];

/** `at`, here and in references, is where its name begins in the text. */
export interface GrammarRule {
  readonly name: string;
  readonly at: number;
  readonly alternatives: Alternatives;
}

/** What is wrong with a grammar, and where. */
export class GrammarError extends Error {}

const name = /[A-Za-z_][\w-]*/y;
const assignment = /[ \t]*::=/y;
const space = /(?:[ \t\r\n]|#[^\r\n]*)*/y;
const repetition = /\{\s*(\d+)\s*(?:(,)\s*(\d*)\s*)?\}/y;
const hexEscape = /x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})/y;

const plainEscapes = new Map(Object.entries({ n: '\n', r: '\r', t: '\t', '\\': '\\', '"': '"', "'": "'" }));

/** What may be escaped in a class in addition. */
const classEscapes = '^$.*+?()[]{}|/-';

const deepest = 64;
const longestRepetition = 10_000;

/**
 * Reads a grammar in EBNF as xgrammar and llama.cpp write it: rules `name ::= …` on lines of their own, of texts, classes
 * of characters, names of rules, groups, alternatives and repetitions. Throws a GrammarError that names rule and line.
 */
export function readGrammar(text: string): readonly GrammarRule[] {
  return new GrammarReader(text).rules();
}

class GrammarReader {
  readonly #text: string;
  #at = 0;
  #rule: string | undefined;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  rules(): readonly GrammarRule[] {
    const rules: GrammarRule[] = [];
    this.#skipSpace();
    while (this.#at < this.#text.length) rules.push(this.#readRule());
    return rules;
  }

  #readRule(): GrammarRule {
    const at = this.#at;
    if (!this.#isAtLineStart()) throw this.#error('each rule must begin on a line of its own');
    const found = this.#match(name)?.[0];
    if (found === undefined || !this.#match(assignment))
      throw this.#error(`expected a rule such as root ::= "text", not ${this.#next()}`);
    this.#rule = found;
    const alternatives = this.#readAlternatives();
    if (this.#text[this.#at] === ')') throw this.#error('there is a ) without its (');
    this.#rule = undefined;
    return { name: found, at, alternatives };
  }

  #readAlternatives(): Alternatives {
    const alternatives = [this.#readSequence()];
    while (this.#take('|')) alternatives.push(this.#readSequence());
    return alternatives;
  }

  #readSequence(): readonly GrammarNode[] {
    const nodes: GrammarNode[] = [];
    for (;;) {
      this.#skipSpace();
      const character = this.#text[this.#at];
      if (character === undefined || character === '|' || character === ')' || this.#isRule()) return nodes;
      nodes.push(this.#readRepeated());
    }
  }

  #readRepeated(): GrammarNode {
    const node = this.#readElement();
    this.#skipSpace();
    const bounds = this.#readBounds();
    if (!bounds) return node;
    this.#skipSpace();
    if (/[*+?{]/.test(this.#text[this.#at] ?? '')) throw this.#error('a repetition cannot be repeated without ( )');
    return { kind: 'repeat', node, ...bounds };
  }

  #readBounds(): { readonly least: number; readonly most: number | undefined } | undefined {
    if (this.#take('*')) return { least: 0, most: undefined };
    if (this.#take('+')) return { least: 1, most: undefined };
    if (this.#take('?')) return { least: 0, most: 1 };
    if (this.#text[this.#at] !== '{') return undefined;
    const [, first, comma, last] = this.#match(repetition) ?? [];
    if (first === undefined) throw this.#error('a repetition is written {3}, {3,} or {3,5}');
    const least = Number(first);
    const most = comma === undefined ? least : last === '' ? undefined : Number(last);
    if (Math.max(least, most ?? 0) > longestRepetition)
      throw this.#error(`a repetition of more than ${longestRepetition} is not supported`);
    if (most !== undefined && (most < least || most === 0))
      throw this.#error(`the repetition {${least},${most}} allows nothing`);
    return { least, most };
  }

  #readElement(): GrammarNode {
    const character = this.#text[this.#at];
    if (character === '"') return this.#readText();
    if (character === '[') return this.#readClass();
    if (character === '(') return this.#readGroup();
    const at = this.#at;
    const found = this.#match(name)?.[0];
    if (found !== undefined) return { kind: 'rule', name: found, at };
    if (character === '.') throw this.#error('the wildcard . is not supported: write a class such as [^\\n]');
    throw this.#error(`unexpected ${this.#next()}`);
  }

  #readGroup(): GrammarNode {
    const start = this.#at;
    this.#at++;
    if (this.#text[this.#at] === '=') throw this.#error('look-ahead is not supported');
    if (++this.#depth > deepest) throw this.#error(`groups are nested more than ${deepest} deep`);
    const alternatives = this.#readAlternatives();
    this.#depth--;
    if (!this.#take(')')) throw this.#error('there is a ( without its )', start);
    return { kind: 'group', alternatives };
  }

  #readText(): GrammarNode {
    const start = this.#at;
    this.#at++;
    let text = '';
    while (!this.#take('"')) {
      if (/^[\r\n]?$/.test(this.#text[this.#at] ?? '')) throw this.#error('a text has no closing "', start);
      text += String.fromCodePoint(this.#readCharacter(''));
    }
    return { kind: 'text', text };
  }

  #readClass(): GrammarNode {
    const start = this.#at;
    this.#at++;
    const isNegated = this.#take('^');
    const ranges: CharacterRange[] = [];
    while (!this.#take(']')) {
      if (/^[\r\n]?$/.test(this.#text[this.#at] ?? '')) throw this.#error('a class has no closing ]', start);
      const first = this.#readCharacter(classEscapes);
      const isRange = this.#text[this.#at] === '-' && this.#text[this.#at + 1] !== ']';
      if (isRange) this.#at++;
      const last = isRange ? this.#readCharacter(classEscapes) : first;
      if (last < first) throw this.#error('a range in a class ends before it begins', start);
      ranges.push([first, last]);
    }
    if (ranges.length === 0) throw this.#error('a class must not be empty', start);
    return { kind: 'class', isNegated, ranges };
  }

  /** The code point of the next character, which may be escaped. */
  #readCharacter(escapable: string): number {
    if (!this.#take('\\')) return this.#readPlain();
    const character = this.#text[this.#at] ?? '';
    const plain = plainEscapes.get(character) ?? (character !== '' && escapable.includes(character) ? character : '');
    if (plain !== '') {
      this.#at++;
      return plain.charCodeAt(0);
    }
    const [, ...digits] = this.#match(hexEscape) ?? [];
    const code = Number.parseInt(digits.find((each) => each !== undefined) ?? '', 16);
    if (Number.isNaN(code)) throw this.#error(`the escape \\${character} is not supported`);
    return this.#checked(code);
  }

  #readPlain(): number {
    const code = this.#text.codePointAt(this.#at) ?? 0;
    this.#at += code > 0xff_ff ? 2 : 1;
    return this.#checked(code);
  }

  #checked(code: number): number {
    if (code === 0) throw this.#error('the character U+0000 is not supported');
    if (code > 0x10_ff_ff || (code >= 0xd8_00 && code <= 0xdf_ff))
      throw this.#error('a character is not valid Unicode');
    return code;
  }

  /** Whether a rule begins here. */
  #isRule(): boolean {
    const start = this.#at;
    const isRule = this.#match(name) !== undefined && this.#match(assignment) !== undefined;
    this.#at = start;
    return isRule;
  }

  #isAtLineStart(): boolean {
    let at = this.#at;
    while (this.#text[at - 1] === ' ' || this.#text[at - 1] === '\t') at--;
    return at === 0 || this.#text[at - 1] === '\n' || this.#text[at - 1] === '\r';
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) this.#at += match[0].length;
    return match ?? undefined;
  }

  #skipSpace(): void {
    this.#match(space);
  }

  #next(): string {
    const rest = this.#text.slice(this.#at, this.#at + 20).split(/[\r\n]/)[0] ?? '';
    return rest === '' ? 'the end' : JSON.stringify(rest);
  }

  #error(message: string, at = this.#at): GrammarError {
    return grammarError(message, { text: this.#text, at, rule: this.#rule });
  }
}

interface GrammarPosition {
  readonly text: string;
  readonly at: number;
  readonly rule: string | undefined;
}

/** An error that names the line and the rule. */
export function grammarError(message: string, { text, at, rule }: GrammarPosition): GrammarError {
  const line = text.slice(0, at).split(/\r\n|\r|\n/).length;
  return new GrammarError(`line ${line}${rule === undefined ? '' : `, rule ${rule.slice(0, 60)}`}: ${message}.`);
}
