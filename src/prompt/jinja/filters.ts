import { type Arguments, bind, type Filter } from './arguments.ts';
import { attribute } from './attributes.ts';
import { formatPercent } from './format.ts';
import { sequenceFilters } from './sequence-filters.ts';
import { capitalize, stringMethods, strip } from './string-methods.ts';
import { type JsonOptions, jsonOf, textOf } from './text.ts';
import {
  integerOf,
  lengthOf,
  numberOf,
  orElse,
  PyFloat,
  requireDefined,
  TemplateError,
  truthy,
  tuple,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

/** Jinja's filters with transformers' own `tojson`. Those for HTML or random values are left out. */
const filters = new Map<string, Filter>([
  ['abs', (value) => absolute(value)],
  ['attr', (value, call) => attribute(value, textOf(call.args[0] ?? ''))],
  ['capitalize', (value) => capitalize(textOf(value))],
  ['center', (value, call) => centered(value, call)],
  ['count', (value) => lengthOf(value)],
  ['d', (value, call) => withDefault(value, call)],
  ['default', (value, call) => withDefault(value, call)],
  ['e', (value) => escaped(value)],
  ['escape', (value) => escaped(value)],
  ['float', (value, call) => toFloat(value, call)],
  [
    'format',
    (value, call) => formatPercent(textOf(value), call.named.size > 0 ? new Map(call.named) : tuple(call.args)),
  ],
  ['indent', (value, call) => indented(textOf(value), call)],
  ['int', (value, call) => toInteger(value, call)],
  ['length', (value) => lengthOf(value)],
  ['lower', (value) => textOf(value).toLowerCase()],
  ['replace', (value, call) => replaced(value, call)],
  ['round', (value, call) => rounded(value, call)],
  ['safe', (value) => value],
  ['string', (value) => textOf(value)],
  ['title', (value) => titled(textOf(value))],
  ['tojson', (value, call) => jsonOf(value, jsonOptions(call))],
  ['trim', (value, call) => strip(textOf(value), bind('trim', ['chars'], call)[0])],
  ['truncate', (value, call) => truncated(textOf(value), call)],
  ['upper', (value) => textOf(value).toUpperCase()],
  ['wordcount', (value) => textOf(value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0],
]);

/** Applies a filter by its name. */
export function applyFilter(name: string, value: Value, call: Arguments): Value {
  const filter = filters.get(name) ?? sequenceFilters.get(name);
  if (filter === undefined) throw new TemplateError(`No filter named '${name}'.`);
  return filter(value, call, applyFilter);
}

function absolute(value: Value): Value {
  const number = numberOf(value);
  if (number === undefined) throw new TemplateError(`bad operand type for abs(): '${typeName(value)}'`);
  return value instanceof PyFloat ? new PyFloat(Math.abs(number)) : Math.abs(number);
}

function centered(value: Value, call: Arguments): Value {
  const width = call.args[0] ?? call.named.get('width') ?? 80;
  const center = stringMethods.get('center');
  return center ? center(textOf(value), { args: [width], named: new Map() }) : value;
}

function withDefault(value: Value, call: Arguments): Value {
  const [fallback, whenFalse] = bind('default', ['default_value', 'boolean'], call);
  const replace = value instanceof Undefined || (truthy(whenFalse ?? false) && !truthy(value));
  return replace ? orElse(fallback, '') : value;
}

function escaped(value: Value): Value {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', "'": '&#39;', '"': '&#34;' };
  return textOf(value).replace(/[&<>'"]/g, (character) => entities[character] ?? character);
}

function toFloat(value: Value, call: Arguments): Value {
  const number = numberOf(value) ?? parsedFloat(value);
  return number === undefined ? orElse(bind('float', ['default'], call)[0], new PyFloat(0)) : new PyFloat(number);
}

function parsedFloat(value: Value): number | undefined {
  if (typeof value !== 'string') return undefined;
  const text = strip(value, undefined);
  // Each character matches in only one way, so that a long row of digits is read once.
  return /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

function toInteger(value: Value, call: Arguments): Value {
  const [fallback, base] = bind('int', ['default', 'base'], call);
  if (typeof value === 'string' && base !== undefined && base !== 10) {
    const parsed = Number.parseInt(value, integerOf(base, 'base'));
    return Number.isNaN(parsed) ? orElse(fallback, 0) : parsed;
  }
  const number = numberOf(value) ?? parsedFloat(value);
  return number === undefined ? orElse(fallback, 0) : Math.trunc(number);
}

function indented(text: string, call: Arguments): string {
  const [width, first, blank] = bind('indent', ['width', 'first', 'blank'], call);
  const indent = typeof width === 'string' ? width : ' '.repeat(Math.min(integerOf(width ?? 4, 'width'), 1000));
  const lines = text.split('\n').map((line, index) => {
    const skip = index === 0 ? !truthy(first ?? false) : line === '' && !truthy(blank ?? false);
    return skip ? line : indent + line;
  });
  return lines.join('\n');
}

function replaced(value: Value, call: Arguments): Value {
  const [from, to, count] = bind('replace', ['old', 'new', 'count'], call);
  const replace = stringMethods.get('replace');
  const args: Value[] = [textOf(from ?? null), textOf(to ?? null), count ?? -1];
  return replace ? replace(textOf(value), { args, named: new Map() }) : value;
}

function rounded(value: Value, call: Arguments): Value {
  const [precision, method] = bind('round', ['precision', 'method'], call);
  const number = numberOf(value);
  requireDefined(value);
  if (number === undefined) throw new TemplateError(`type ${typeName(value)} doesn't define round`);
  const scale = 10 ** integerOf(precision ?? 0, 'precision');
  const scaled = number * scale;
  if (method === 'ceil') return new PyFloat(Math.ceil(scaled) / scale);
  if (method === 'floor') return new PyFloat(Math.floor(scaled) / scale);
  const nearest = Math.round(scaled);
  // Python rounds a half to the even neighbour.
  const even = Math.abs(scaled % 1) === 0.5 && nearest % 2 !== 0 ? nearest - 1 : nearest;
  return value instanceof PyFloat || scale !== 1 ? new PyFloat(even / scale) : even;
}

function titled(text: string): string {
  return text
    .split(/([-\s({[<]+)/)
    .map((part) => capitalize(part))
    .join('');
}

function truncated(text: string, call: Arguments): string {
  const names = ['length', 'killwords', 'end', 'leeway'];
  const [length, killwords, end, leeway] = bind('truncate', names, call);
  const most = integerOf(length ?? 255, 'length');
  const tail = textOf(end ?? '...');
  if (lengthOf(text) <= most + integerOf(leeway ?? 5, 'leeway')) return text;
  const start = Array.from(text)
    .slice(0, Math.max(0, most - lengthOf(tail)))
    .join('');
  if (truthy(killwords ?? false)) return start + tail;
  const space = start.lastIndexOf(' ');
  return (space < 0 ? start : start.slice(0, space)) + tail;
}

function jsonOptions(call: Arguments): JsonOptions {
  const names = ['ensure_ascii', 'indent', 'separators', 'sort_keys'];
  const [ensureAscii, indent, separators, sortKeys] = bind('tojson', names, call);
  return {
    ensureAscii: truthy(ensureAscii ?? false),
    sortKeys: truthy(sortKeys ?? false),
    indent: indentOf(indent ?? null),
    separators: Array.isArray(separators) ? [textOf(separators[0] ?? ''), textOf(separators[1] ?? '')] : undefined,
  };
}

function indentOf(value: Value): string | undefined {
  if (value === null) return undefined;
  return typeof value === 'string' ? value : ' '.repeat(Math.min(Math.max(0, integerOf(value, 'indent')), 1000));
}
