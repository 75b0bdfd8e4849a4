import { Double } from './json-value.ts';

/** Values that can be written. Texts are binary strings, one character per byte. */
export type Writable =
  | null
  | boolean
  | number
  | bigint
  | string
  | Double
  | readonly Writable[]
  | { readonly [name: string]: Writable | undefined };

/** JSON as Triton writes it, as a binary string. Members that are undefined are left out. */
export function writeJson(value: Writable): string {
  if (typeof value === 'string') return quoteJson(value);
  if (value instanceof Double) return writeDouble(value.value);
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : writeDouble(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map((element: Writable) => writeJson(element)).join(',')}]`;
  const members = Object.entries(value as Record<string, Writable | undefined>);
  return `{${members.flatMap(([name, held]) => (held === undefined ? [] : [`${quoteJson(name)}:${writeJson(held)}`])).join(',')}}`;
}

/** A double keeps its decimal point, and its exponent has no plus. */
export function writeDouble(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const text = Object.is(value, -0) ? '-0' : String(value);
  if (text.includes('e')) return text.replace('e+', 'e');
  return text.includes('.') ? text : `${text}.0`;
}

/** A binary string in quotation marks; bytes above 127 stay as they are. */
export function quoteJson(binary: string): string {
  return special.test(binary) ? `"${binary.replaceAll(everySpecial, escaped)}"` : `"${binary}"`;
}

// oxlint-disable-next-line no-control-regex -- these are what JSON has to escape
const special = /["\\\u0000-\u001f]/;
// oxlint-disable-next-line no-control-regex -- these are what JSON has to escape
const everySpecial = /["\\\u0000-\u001f]/g;

const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escaped(letter: string): string {
  return short[letter] ?? `\\u${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
