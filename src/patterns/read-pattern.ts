import { type CharacterSet, characterSet, complement } from './character-set.ts';
import { character, type Pattern, PatternError } from './pattern.ts';
import { asciiDialect, checkCode, type Dialect, readEscape } from './read-escape.ts';

const deepestGroup = 64;
const mostRepetitions = 2000;

const bounds = /\{(\d+)(?:(,)(\d*))?\}/y;
const groupName = /\?P?<[A-Za-z_]\w*>/y;

/** The prefixes of groups with unsupported features, longer ones first. */
const features: readonly (readonly [string, string])[] = [
  ['?<=', 'look-behind'],
  ['?<!', 'look-behind'],
  ['?=', 'look-ahead'],
  ['?!', 'look-ahead'],
  ['?>', 'the atomic group'],
  ['?P=', 'the back-reference'],
  ['?P>', 'recursion'],
  ['?&', 'recursion'],
  ['?R', 'recursion'],
  ['?(', 'the condition'],
  ['?#', 'the comment'],
];

/**
 * Parses a regular expression of JavaScript or Python. Throws a PatternError if it is malformed or goes beyond regular
 * languages. The pattern is never run.
 */
export function readPattern(pattern: string, dialect = asciiDialect): Pattern {
  return new PatternReader(pattern, dialect).read();
}

class PatternReader {
  readonly #pattern: string;
  readonly #dialect: Dialect;
  #at = 0;
  #depth = 0;

  constructor(pattern: string, dialect: Dialect) {
    this.#pattern = pattern;
    this.#dialect = dialect;
  }

  read(): Pattern {
    const pattern = this.#alternatives();
    if (this.#at < this.#pattern.length) throw this.#error('")" has no matching "("');
    return pattern;
  }

  #alternatives(): Pattern {
    if (++this.#depth > deepestGroup) throw this.#error(`groups are nested deeper than ${deepestGroup} levels`);
    const options = [this.#sequence()];
    while (this.#takes('|')) options.push(this.#sequence());
    this.#depth--;
    return options.length === 1 ? (options[0] as Pattern) : { kind: 'alternatives', options };
  }

  #sequence(): Pattern {
    const items: Pattern[] = [];
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek())
      items.push(this.#quantified(this.#atom()));
    return { kind: 'sequence', items };
  }

  #quantified(item: Pattern): Pattern {
    const position = this.#at;
    const range = this.#quantifier();
    if (!range) return item;
    if (item.kind === 'anchor') throw this.#error('an anchor cannot be repeated', position);
    const { least, most } = range;
    if (most !== undefined && most < least) throw this.#error('the repetition is out of order', position);
    if (Math.max(least, most ?? 0) > mostRepetitions)
      throw this.#error(`more than ${mostRepetitions} repetitions are not supported`, position);
    // Lazy and greedy repetitions match the same texts.
    if (!this.#takes('?') && this.#peek() === '+') throw this.#error('the possessive quantifier is not supported');
    const after = this.#at;
    if (this.#quantifier()) throw this.#error('a quantifier follows another one', after);
    return { kind: 'repeat', item, least, most };
  }

  #quantifier(): { readonly least: number; readonly most: number | undefined } | undefined {
    if (this.#takes('*')) return { least: 0, most: undefined };
    if (this.#takes('+')) return { least: 1, most: undefined };
    if (this.#takes('?')) return { least: 0, most: 1 };
    const [whole = '', least, comma, most] = this.#match(bounds) ?? [];
    if (whole === '') return undefined;
    if (comma === undefined) return { least: Number(least), most: Number(least) };
    return { least: Number(least), most: most === '' ? undefined : Number(most) };
  }

  #atom(): Pattern {
    const position = this.#at;
    switch (this.#pattern.charAt(this.#at)) {
      case '(':
        this.#at++;
        return this.#group(position);
      case '[':
        this.#at++;
        return { kind: 'set', set: this.#class(position) };
      case '.':
        this.#at++;
        return { kind: 'set', set: complement(this.#dialect.lineEnds) };
      case '^':
      case '$':
        return { kind: 'anchor', edge: this.#pattern[this.#at++] === '^' ? 'start' : 'end', position };
      case '*':
      case '+':
      case '?':
        throw this.#error(`"${this.#peek()}" has nothing to repeat`);
      case '{':
        if (this.#match(bounds)) throw this.#error('the repetition has nothing to repeat', position);
        return character(this.#item(false) as number);
      default: {
        const item = this.#item(false);
        return typeof item === 'number' ? character(item) : { kind: 'set', set: item };
      }
    }
  }

  #group(position: number): Pattern {
    if (this.#peek() === '?' && !this.#takes('?:')) {
      const feature = features.find(([start]) => this.#pattern.startsWith(start, this.#at));
      if (feature) throw this.#error(`${feature[1]} "(${feature[0]}" is not supported`, position);
      if (!this.#match(groupName)) throw this.#error('the inline flag "(?" is not supported', position);
    }
    const inner = this.#alternatives();
    if (!this.#takes(')')) throw this.#error('"(" is not closed', position);
    return inner;
  }

  #class(position: number): CharacterSet {
    const isNegated = this.#takes('^');
    if (this.#peek() === ']') throw this.#error('the empty class "[]" is not supported', position);
    const ranges: (readonly [number, number])[] = [];
    while (!this.#takes(']')) {
      if (this.#peek() === undefined) throw this.#error('"[" is not closed', position);
      const start = this.#at;
      if (/\[[:.=]/y.test(this.#pattern.slice(start, start + 2)))
        throw this.#error('the POSIX class "[:" is not supported', start);
      const from = this.#item(true);
      if (typeof from !== 'number') {
        ranges.push(...from);
        continue;
      }
      ranges.push([from, this.#rangeEnd(from, start)]);
    }
    const set = characterSet(ranges);
    const all = isNegated ? complement(set) : set;
    if (all.length === 0) throw this.#error('the class matches no character', position);
    return all;
  }

  #rangeEnd(from: number, start: number): number {
    if (this.#peek() !== '-' || this.#pattern[this.#at + 1] === ']') return from;
    this.#at++;
    if (this.#peek() === undefined) return from;
    const to = this.#item(true);
    if (typeof to !== 'number' || to < from) throw this.#error('the range of the class is out of order', start);
    return to;
  }

  /** A character, or the set of an escape. */
  #item(isInClass: boolean): number | CharacterSet {
    const position = this.#at;
    if (this.#peek() === '\\') {
      const { value, end } = readEscape(this.#pattern, position, { isInClass, dialect: this.#dialect });
      this.#at = end;
      return value;
    }
    const code = this.#pattern.codePointAt(position) as number;
    checkCode(code, position, isInClass);
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  #peek(): string | undefined {
    return this.#pattern[this.#at];
  }

  #takes(text: string): boolean {
    const isNext = this.#pattern.startsWith(text, this.#at);
    if (isNext) this.#at += text.length;
    return isNext;
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#pattern);
    if (!match) return undefined;
    this.#at = expression.lastIndex;
    return match;
  }

  #error(message: string, position = this.#at): PatternError {
    return new PatternError(message, position);
  }
}
