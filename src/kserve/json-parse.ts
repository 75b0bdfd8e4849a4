import { Double, type JsonObject, type JsonValue } from './json-value.ts';
import { StatusError } from './status.ts';

/** The limit on the nesting depth: the same as Triton's. */
const deepest = 100;

/** Parses JSON, with NaN and infinities. Errors have the messages and offsets of Triton's parser. */
export function parseJson(bytes: Buffer): JsonValue {
  return new Parser(bytes.toString('latin1')).document();
}

const end = 0;
const quote = 0x22;
const backslash = 0x5c;

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    if (text.startsWith('\u00ef\u00bb\u00bf')) this.#at = 3;
  }

  document(): JsonValue {
    this.#skipSpace();
    if (this.#peek() === end) throw this.#error('The document is empty.');
    const value = this.#value();
    this.#skipSpace();
    if (this.#peek() !== end) throw this.#error('The document root must not be followed by other values.');
    return value;
  }

  #value(): JsonValue {
    switch (this.#text.charAt(this.#at)) {
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #object(): JsonObject {
    const members = new Map<string, JsonValue>();
    this.#enter();
    if (this.#take('}')) return this.#leave(members);
    for (;;) {
      if (this.#peek() !== quote) throw this.#error('Missing a name for object member.');
      const name = this.#string();
      this.#skipSpace();
      if (!this.#take(':')) throw this.#error('Missing a colon after a name of object member.');
      this.#skipSpace();
      const value = this.#value();
      if (!members.has(name)) members.set(name, value);
      this.#skipSpace();
      if (this.#take('}')) return this.#leave(members);
      if (!this.#take(',')) throw this.#error("Missing a comma or '}' after an object member.");
      this.#skipSpace();
    }
  }

  #array(): JsonValue[] {
    const values: JsonValue[] = [];
    this.#enter();
    if (this.#take(']')) return this.#leave(values);
    for (;;) {
      values.push(this.#value());
      this.#skipSpace();
      if (this.#take(']')) return this.#leave(values);
      if (!this.#take(',')) throw this.#error("Missing a comma or ']' after an array element.");
      this.#skipSpace();
    }
  }

  #enter(): void {
    this.#at++;
    if (++this.#depth > deepest)
      throw new StatusError('INVALID_ARGUMENT', `the request JSON nests deeper than the ${deepest} levels allowed`);
    this.#skipSpace();
  }

  #leave<Value>(value: Value): Value {
    this.#depth--;
    return value;
  }

  #string(): string {
    let value = '';
    let from = ++this.#at;
    for (;;) {
      const code = this.#peek();
      if (code === quote) {
        value += this.#text.slice(from, this.#at++);
        return value;
      }
      if (code === backslash) {
        value += this.#text.slice(from, this.#at) + this.#escape();
        from = this.#at;
      } else if (code === end) throw this.#error('Missing a closing quotation mark in string.');
      else if (code < 0x20) throw this.#error('Invalid escape character in string.');
      else this.#at++;
    }
  }

  #escape(): string {
    const start = this.#at++;
    const letter = this.#text[this.#at++] ?? '';
    const plain = escapes[letter];
    if (plain !== undefined) return plain;
    if (letter !== 'u') throw this.#error('Invalid escape character in string.', start);
    let code = this.#hexadecimal(start);
    if (code >= 0xd800 && code <= 0xdfff) {
      const low = code <= 0xdbff && this.#text.startsWith('\\u', this.#at) ? this.#lowHalf(start) : 0;
      if (low < 0xdc00 || low > 0xdfff) throw this.#error('The surrogate pair in string is invalid.', start);
      code = ((code - 0xd800) << 10) + (low - 0xdc00) + 0x10000;
    }
    return Buffer.from(String.fromCodePoint(code)).toString('latin1');
  }

  #lowHalf(start: number): number {
    this.#at += 2;
    return this.#hexadecimal(start);
  }

  #hexadecimal(start: number): number {
    const digits = this.#text.slice(this.#at, this.#at + 4);
    if (!/^[\da-fA-F]{4}$/.test(digits)) throw this.#error('Incorrect hex digit after \\u escape in string.', start);
    this.#at += 4;
    return Number.parseInt(digits, 16);
  }

  #word<Value extends JsonValue>(word: string, value: Value): Value {
    for (const letter of word) if (!this.#take(letter)) throw this.#error('Invalid value.');
    return value;
  }

  #number(): JsonValue {
    const from = this.#at;
    this.#take('-');
    if (this.#text[this.#at] === 'N') return this.#word('NaN', new Double(Number.NaN));
    if (this.#text[this.#at] === 'I') return this.#infinity(from);
    if (!this.#take('0') && !this.#digits()) throw this.#error('Invalid value.');
    let isWhole = true;
    if (this.#take('.')) {
      isWhole = false;
      if (!this.#digits()) throw this.#error('Miss fraction part in number.');
    }
    if (this.#take('e') || this.#take('E')) {
      isWhole = false;
      if (!this.#take('-')) this.#take('+');
      if (!this.#digits()) throw this.#error('Miss exponent in number.');
    }
    const text = this.#text.slice(from, this.#at);
    const value = Number(text);
    if (!Number.isFinite(value)) throw this.#error('Number too big to be stored in double.', from);
    if (!isWhole) return Number.isInteger(value) ? new Double(value) : value;
    return Number.isSafeInteger(value) ? value + 0 : largeNumber(text, value);
  }

  #infinity(from: number): Double {
    this.#word('Inf', null);
    if (this.#text[this.#at] === 'i') this.#word('inity', null);
    return new Double(this.#text[from] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
  }

  /** Whether there was at least one. */
  #digits(): boolean {
    const from = this.#at;
    for (let code = this.#peek(); code >= 0x30 && code <= 0x39; code = this.#peek()) this.#at++;
    return this.#at > from;
  }

  #skipSpace(): void {
    for (let code = this.#peek(); code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09; code = this.#peek())
      this.#at++;
  }

  #take(letter: string): boolean {
    if (this.#text[this.#at] !== letter) return false;
    this.#at++;
    return true;
  }

  #peek(): number {
    return this.#at < this.#text.length ? this.#text.charCodeAt(this.#at) : end;
  }

  #error(reason: string, at = this.#at): StatusError {
    return new StatusError('INTERNAL', `failed to parse the request JSON buffer: ${reason} at ${at}`);
  }
}

const smallest = -(2n ** 63n);
const largest = 2n ** 64n - 1n;

function largeNumber(text: string, value: number): JsonValue {
  const exact = BigInt(text);
  return exact >= smallest && exact <= largest ? exact : new Double(value);
}
