import { unquote } from './string-literal.ts';
import { type Position, TextFormatError } from './text-format-error.ts';

/** One word, number, text or sign of the text format, with its place. */
export interface Token extends Position {
  readonly kind: 'word' | 'number' | 'text' | 'sign' | 'end';
  /** As it is written; the end of the text has none. */
  readonly written: string;
  /** What a text stands for. */
  readonly bytes?: Buffer;
}

const blank = /(?:[ \t\r\n\f\v]+|#[^\n]*)+/y;
const word = /[A-Za-z_]\w*/y;
const number = /0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fF]?/y;
const text = /"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*'/y;
const template = /\$\{?\w+\}?/y;
const signs = new Set('{}<>[]:,;-+./');

/** Cuts a text into tokens, one at a time: what stands behind the first mistake is not looked at. */
export class Lexer {
  readonly file: string;
  readonly #source: string;
  #offset = 0;
  #line = 1;
  #lineStart = 0;
  #ahead: Token | undefined;

  constructor(source: string, file: string) {
    this.#source = source;
    this.file = file;
  }

  /** The next token, which stays the next one. */
  peek(): Token {
    this.#ahead ??= this.#read();
    return this.#ahead;
  }

  /** The next token, which is then behind. */
  take(): Token {
    const token = this.peek();
    this.#ahead = undefined;
    return token;
  }

  /** The mistake to throw for what stands at a place. */
  problem(position: Position, problem: string): TextFormatError {
    return new TextFormatError(problem, { file: this.file, position });
  }

  #read(): Token {
    this.#advance(this.#match(blank) ?? '');
    const character = this.#source[this.#offset];
    if (character === undefined) return { kind: 'end', written: '', ...this.#position() };
    if (character === '"' || character === "'") return this.#readText();
    const name = this.#match(word);
    if (name !== undefined) return this.#token('word', name);
    const digits = this.#match(number);
    if (digits !== undefined) return this.#readNumber(digits);
    if (signs.has(character)) return this.#token('sign', character);
    throw this.problem(this.#position(), this.#stranger(character));
  }

  #readNumber(digits: string): Token {
    const after = /^[\w.]+/.exec(this.#source.slice(this.#offset + digits.length, this.#offset + digits.length + 40));
    if (after !== null) {
      throw this.problem(this.#position(), `${digits}${after[0]} is not a number, and a name must not touch a number.`);
    }
    return this.#token('number', digits);
  }

  #readText(): Token {
    const written = this.#match(text);
    if (written === undefined) {
      throw this.problem(this.#position(), 'the text has no closing quote: it must end on the line where it begins.');
    }
    const unquoted = unquote(written.slice(1, -1));
    if ('bytes' in unquoted) return { ...this.#token('text', written), bytes: unquoted.bytes };
    const { line, column } = this.#position();
    throw this.problem({ line, column: column + 1 + unquoted.at }, `${unquoted.problem}.`);
  }

  #stranger(character: string): string {
    if (character === '\ufeff') return 'the file begins with a byte order mark: save it as UTF-8 without one.';
    const unfilled = this.#match(template);
    if (unfilled !== undefined) return `${unfilled} is not filled in: conch repo fill puts a value in its place.`;
    const code = character.charCodeAt(0);
    const shown = code < 32 || code === 127 ? `the control character ${code}` : JSON.stringify(character);
    return `expected a field, but found ${shown}.`;
  }

  #token(kind: Token['kind'], written: string): Token {
    const token = { kind, written, ...this.#position() };
    this.#advance(written);
    return token;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    return pattern.exec(this.#source)?.[0];
  }

  #position(): Position {
    return { line: this.#line, column: this.#offset - this.#lineStart + 1 };
  }

  #advance(written: string): void {
    for (let at = written.indexOf('\n'); at >= 0; at = written.indexOf('\n', at + 1)) {
      this.#line++;
      this.#lineStart = this.#offset + at + 1;
    }
    this.#offset += written.length;
  }
}

/** A token as a sentence names it. */
export function describe({ kind, written }: Token): string {
  if (kind === 'end') return 'the end of the file';
  return written.length > 40 ? `${written.slice(0, 37)}…` : written;
}
