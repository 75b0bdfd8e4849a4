import { isUtf8 } from 'node:buffer';
import { describe, type Lexer, type Token } from './lexer.ts';
import type { ValueShape } from './message-shape.ts';
import { suggest } from './suggest.ts';

/** A scalar for protobufjs: 64-bit integers that are not exact as numbers are decimal strings. */
export type ScalarValue = string | number | boolean | Buffer;

type ScalarShape = Exclude<ValueShape, { kind: 'message' }>;

/** Reads one value that is not a message. `field` is its name for errors. */
export function readScalar(lexer: Lexer, shape: ScalarShape, field: string): ScalarValue {
  if (shape.kind === 'enum') return readEnum(lexer, shape, field);
  const { type } = shape;
  if (type === 'string') return readText(lexer, field);
  if (type === 'bytes') return readBytes(lexer, field);
  if (type === 'bool') return readBoolean(lexer, field);
  if (type === 'float' || type === 'double') return readFloat(lexer, type, field);
  return readInteger(lexer, rangeOf(type), field);
}

function readText(lexer: Lexer, field: string): string {
  const start = lexer.peek();
  const bytes = readBytes(lexer, field);
  if (!isUtf8(bytes)) throw lexer.problem(start, `the string of ${field} is not UTF-8.`);
  return bytes.toString();
}

/** Adjacent strings are one. */
function readBytes(lexer: Lexer, field: string): Buffer {
  const first = lexer.take();
  if (first.kind !== 'text') throw wrong(lexer, first, `a string in quotes for ${field}`);
  const parts = [first.bytes ?? Buffer.alloc(0)];
  while (lexer.peek().kind === 'text') parts.push(lexer.take().bytes ?? Buffer.alloc(0));
  return Buffer.concat(parts);
}

const booleans = new Map([
  ['true', true],
  ['True', true],
  ['t', true],
  ['false', false],
  ['False', false],
  ['f', false],
]);

function readBoolean(lexer: Lexer, field: string): boolean {
  const token = lexer.take();
  const value = token.kind === 'word' ? booleans.get(token.written) : undefined;
  if (value !== undefined) return value;
  const digits = token.kind === 'number' ? integerOf(token.written) : undefined;
  if (digits === 0n || digits === 1n) return digits === 1n;
  throw wrong(lexer, token, `true or false for ${field}`);
}

function readFloat(lexer: Lexer, type: string, field: string): number {
  const { negative, token } = readSigned(lexer);
  const magnitude = floatOf(token);
  if (magnitude === undefined) throw wrong(lexer, token, `a number for ${field}`);
  const value = negative ? -magnitude : magnitude;
  return type === 'float' ? Math.fround(value) : value;
}

function floatOf({ kind, written }: Token): number | undefined {
  if (kind === 'word') {
    if (/^inf(inity)?f?$/i.test(written)) return Number.POSITIVE_INFINITY;
    return /^nanf?$/i.test(written) ? Number.NaN : undefined;
  }
  // A hexadecimal or octal number is an integer, which Triton rejects here.
  if (kind !== 'number' || /^0[xX\d]/.test(written)) return undefined;
  return Number(written.replace(/f$/i, ''));
}

interface Range {
  readonly least: bigint;
  readonly most: bigint;
}

function rangeOf(type: string): Range {
  const bits = type.endsWith('64') ? 64n : 32n;
  const unsigned = type.startsWith('u') || type.startsWith('fixed');
  return unsigned
    ? { least: 0n, most: 2n ** bits - 1n }
    : { least: -(2n ** (bits - 1n)), most: 2n ** (bits - 1n) - 1n };
}

function readInteger(lexer: Lexer, range: Range, field: string): number | string {
  const sign = lexer.peek();
  const { negative, token } = readSigned(lexer);
  const magnitude = token.kind === 'number' ? integerOf(token.written) : undefined;
  if (magnitude === undefined) throw wrong(lexer, token, `a whole number for ${field}`);
  const value = negative ? -magnitude : magnitude;
  if (value < range.least || value > range.most || (negative && range.least === 0n)) {
    const found = `${negative ? '-' : ''}${token.written}`;
    throw lexer.problem(
      sign,
      `expected a whole number from ${range.least} to ${range.most} for ${field}, but found ${found}.`,
    );
  }
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** Decimal, hexadecimal (0x1f) or octal (017). */
function integerOf(written: string): bigint | undefined {
  if (/^0[0-7]+$/.test(written)) return BigInt(`0o${written.slice(1)}`);
  return /^(0|[1-9]\d*|0[xX][\da-fA-F]+)$/.test(written) ? BigInt(written) : undefined;
}

function readEnum(lexer: Lexer, { name, numbers }: ScalarShape & { kind: 'enum' }, field: string): string | number {
  const { negative, token } = readSigned(lexer);
  const names = Object.keys(numbers);
  if (token.kind === 'word' && !negative) {
    if (Object.hasOwn(numbers, token.written)) return token.written;
    const known = names.length > 6 ? `a value of ${name}` : `one of ${names.join(', ')}`;
    const hint = suggest(token.written, names);
    throw lexer.problem(token, `expected ${known} for ${field}, but found ${token.written}.${hint}`);
  }
  const magnitude = token.kind === 'number' ? integerOf(token.written) : undefined;
  if (magnitude === undefined || magnitude > 2n ** 31n - 1n)
    throw wrong(lexer, token, `a value of ${name} for ${field}`);
  const value = Number(negative ? -magnitude : magnitude);
  return names.find((candidate) => numbers[candidate] === value) ?? value;
}

function readSigned(lexer: Lexer): { negative: boolean; token: Token } {
  const token = lexer.take();
  if (token.kind !== 'sign') return { negative: false, token };
  if (token.written === '+') throw lexer.problem(token, 'a number must not have a + sign: remove it.');
  return token.written === '-' ? { negative: true, token: lexer.take() } : { negative: false, token };
}

function wrong(lexer: Lexer, token: Token, expected: string) {
  return lexer.problem(token, `expected ${expected}, but found ${describe(token)}.`);
}
