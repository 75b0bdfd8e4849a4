import {
  Callable,
  compareStrings,
  Namespace,
  PyFloat,
  TemplateError,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

/** Python's `str()`: what printing a value gives. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof Undefined) return '';
  return reprOf(value);
}

/** Python's `repr()`. */
export function reprOf(value: Value): string {
  if (value === null) return 'None';
  if (typeof value === 'string') return reprOfString(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof PyFloat) return formatFloat(value.value);
  if (value instanceof Tuple) return value.length === 1 ? `(${list(value)},)` : `(${list(value)})`;
  if (Array.isArray(value)) return `[${list(value)}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([key, item]) => `${reprOf(key)}: ${reprOf(item)}`).join(', ')}}`;
  }
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof Namespace) return `<Namespace ${reprOf(new Map(value.attributes))}>`;
  return value instanceof Callable ? '<function>' : '';
}

function list(values: Value[]): string {
  return values.map(reprOf).join(', ');
}

function reprOfString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(/[\\'"]|(?! )[\p{C}\p{Z}]/gu, (character) => {
    if (character === '\\') return '\\\\';
    if (character === "'" || character === '"') return character === quote ? `\\${character}` : character;
    if (character === '\n') return '\\n';
    if (character === '\r') return '\\r';
    if (character === '\t') return '\\t';
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
    if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
    return `\\U${code.toString(16).padStart(8, '0')}`;
  });
  return quote + body + quote;
}

/** A float the way Python writes it: always with a point or an exponent. */
function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  const plain =
    exponent < 0 ? value.toFixed(Math.min(100, mantissa.replace(/\D/g, '').length - 1 - exponent)) : String(value);
  return plain.includes('.') ? plain : `${plain}.0`;
}

/** The options of Python's `json.dumps` that templates may give to `tojson`. */
export interface JsonOptions {
  readonly indent?: string | undefined;
  readonly ensureAscii?: boolean;
  readonly separators?: readonly [string, string] | undefined;
  readonly sortKeys?: boolean;
}

/** The JSON of values that several renderings share, by its style. */
const jsonTexts = new WeakMap<object, Map<string, string>>();

/** Stores the JSON of a value as long as the value itself. */
export function rememberJson(value: Value): void {
  if (typeof value === 'object' && value !== null && !jsonTexts.has(value)) jsonTexts.set(value, new Map());
}

/** A value as `json.dumps` writes it, to the space. */
export function jsonOf(value: Value, options: JsonOptions = {}): string {
  const [comma, colon] = options.separators ?? [options.indent === undefined ? ', ' : ',', ': '];
  const style = { ...options, comma, colon };
  const texts = typeof value === 'object' && value !== null ? jsonTexts.get(value) : undefined;
  if (texts === undefined) return written(value, style, '\n');
  const key = JSON.stringify([comma, colon, options.indent, options.ensureAscii ?? false, options.sortKeys ?? false]);
  let text = texts.get(key);
  if (text === undefined) {
    text = written(value, style, '\n');
    if (texts.size < mostStyles) texts.set(key, text);
  }
  return text;
}

/** A template could write a value in any number of styles. */
const mostStyles = 8;

type JsonStyle = Pick<JsonOptions, 'indent' | 'ensureAscii' | 'sortKeys'> & {
  readonly comma: string;
  readonly colon: string;
};

/** `line` is a line break with the indentation of the value's line. */
function written(value: Value, style: JsonStyle, line: string): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return jsonString(value, style);
  if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof PyFloat) return jsonFloat(value.value);
  const isList = Array.isArray(value);
  if (!isList && !(value instanceof Map))
    throw new TemplateError(`Object of type ${typeName(value)} is not JSON serializable`);
  if ((isList ? value.length : value.size) === 0) return isList ? '[]' : '{}';
  const inner = style.indent === undefined ? '' : line + style.indent;
  const body = isList ? listBody(value, style, inner) : dictBody(value, style, inner);
  const outer = style.indent === undefined ? '' : line;
  return isList ? `[${body}${outer}]` : `{${body}${outer}}`;
}

function listBody(list: Value[], style: JsonStyle, line: string): string {
  let text = '';
  for (const item of list) text += (text === '' ? line : style.comma + line) + written(item, style, line);
  return text;
}

function dictBody(dict: Map<Value, Value>, style: JsonStyle, line: string): string {
  let text = '';
  for (const [key, item] of style.sortKeys ? sorted(dict) : dict) {
    const name = jsonString(typeof key === 'string' ? key : jsonKey(key), style);
    text += (text === '' ? line : style.comma + line) + name + style.colon + written(item, style, line);
  }
  return text;
}

function sorted(dict: Map<Value, Value>): [string, Value][] {
  const entries = [...dict].map(([key, item]): [string, Value] => [jsonKey(key), item]);
  return entries.toSorted(([a], [b]) => compareStrings(a, b));
}

function jsonString(text: string, style: Pick<JsonOptions, 'ensureAscii'>): string {
  const quoted = JSON.stringify(text);
  if (!style.ensureAscii) return quoted;
  return quoted.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function jsonKey(key: Value): string {
  if (typeof key === 'string') return key;
  if (key === null || typeof key !== 'object') return String(key);
  if (key instanceof PyFloat) return jsonFloat(key.value);
  throw new TemplateError(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

function jsonFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '-Infinity' : 'Infinity';
  return formatFloat(value);
}
