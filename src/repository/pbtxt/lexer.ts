import { unquote } from './string-literal.ts';
import { type Position, TextFormatError } from './text-format-error.ts';

/** One word, number, string or sign of the text format, with its position. */
export interface Token extends Position {
  readonly kind: 'word' | 'number' | 'text' | 'sign' | 'end';
  /** The source text; empty for the end of the file. */
  readonly written: string;
  /** The value of a string. */
  readonly bytes?: Buffer;
}

const blank = /(?:[ \t\r\n\f\v]+|#[^\n]*)+/y;
const word = /[A-Za-z_]\w*/y;
const number = /0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fF]?/y;
const text = /"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*'/y;
const template = /\$\{?\w+\}?/y;
const signs = new Set('{}<>[]:,;-+./');

/** Splits a text into tokens, one at a time, up to the first error. */
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

  /** The next token, without consuming it. */
  peek(): Token {
    this.#ahead ??= this.#read();
    return this.#ahead;
  }

  /** Consumes the next token. */
  take(): Token {
    const token = this.peek();
    this.#ahead = undefined;
    return token;
  }

  /** The error for a position. */
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
      throw this.problem(
        this.#position(),
        `${digits}${after[0]} is not a number: put a space between a number and a name.`,
      );
    }
    return this.#token('number', digits);
  }

  #readText(): Token {
    const written = this.#match(text);
    if (written === undefined) {
      throw this.problem(this.#position(), 'the string has no closing quote: it must end on the line where it starts.');
    }
    const unquoted = unquote(written.slice(1, -1));
    if ('bytes' in unquoted) return { ...this.#token('text', written), bytes: unquoted.bytes };
    const { line, column } = this.#position();
    throw this.problem({ line, column: column + 1 + unquoted.at }, `${unquoted.problem}.`);
  }

  #stranger(character: string): string {
    if (character === '\ufeff') return 'the file begins with a byte order mark: save it as UTF-8 without one.';
    const unfilled = this.#match(template);
    if (unfilled !== undefined) return `${unfilled} is not filled in: set its value with conch repo fill.`;
    const code = character.charCodeAt(0);
    const quoted = code < 32 || code === 127 ? `the control character ${code}` : JSON.stringify(character);
    return `expected a field, but found ${quoted}.`;
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

/** A token in an error message. */
export function describe({ kind, written }: Token): string {
  if (kind === 'end') return 'the end of the file';
  return written.length > 40 ? `${written.slice(0, 37)}…` : written;
}
