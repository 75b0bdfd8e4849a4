import { type Arguments, bind } from './arguments.ts';
import { formatBraces } from './format.ts';
import { textOf } from './text.ts';
import {
  integerOf,
  isWide,
  itemsOf,
  lengthOf,
  requireDefined,
  TemplateError,
  Tuple,
  tuple,
  typeName,
  type Value,
} from './values.ts';

/** The characters that Python counts as white space; unlike JavaScript's they have no byte order mark. */
const space = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const leadingSpace = new RegExp(`^[${space}]+`);
const trailingSpace = new RegExp(`[${space}]+$`);
const allSpace = new RegExp(`^[${space}]+$`);
const word = new RegExp(`[^${space}]+`, 'g');
// oxlint-disable-next-line no-control-regex -- Python ends lines at these characters too
const lineEnd = new RegExp('\\r\\n|[\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029]', 'g');

type Method = (self: string, call: Arguments) => Value;

/** Python's `str.strip`, with its optional set of characters. */
export function strip(text: string, characters: Value | undefined, side: 'left' | 'right' | 'both' = 'both'): string {
  if (characters === undefined || characters === null) {
    const left = side === 'right' ? text : text.replace(leadingSpace, '');
    return side === 'left' ? left : trimEnd(left);
  }
  const set = new Set(requireText(characters, 'strip'));
  let start = 0;
  let end = text.length;
  if (side !== 'right')
    while (start < end && set.has(characterAt(text, start))) start += characterAt(text, start).length;
  if (side !== 'left')
    while (end > start && set.has(characterBefore(text, end))) end -= characterBefore(text, end).length;
  return text.slice(start, end);
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

/** The character that ends here: two units where they are a pair. */
function characterBefore(text: string, end: number): string {
  const pair = text.slice(Math.max(0, end - 2), end);
  return isWide(pair) && Array.from(pair).length === 1 ? pair : text.slice(end - 1, end);
}

// A regular expression anchored only at the end is tried at every run of spaces: quadratic on hostile text.
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && allSpace.test(text[end - 1] ?? '')) end--;
  return trailingSpace.test(text.slice(end)) ? text.slice(0, end) : text;
}

function requireText(value: Value | undefined, method: string): string {
  if (typeof value === 'string') return value;
  if (value !== undefined) requireDefined(value);
  throw new TemplateError(
    `${method} arg must be None or str, not ${value === undefined ? 'nothing' : typeName(value)}`,
  );
}

/** Python's `str.split` and `rsplit`. */
function split(text: string, call: Arguments, fromRight: boolean): Value[] {
  const [separator, limit] = bind('split', ['sep', 'maxsplit'], call);
  const most = limit === undefined ? -1 : integerOf(limit, 'maxsplit');
  if (separator === undefined || separator === null) return splitOnSpace(text, most, fromRight);
  const by = requireText(separator, 'split');
  if (by === '') throw new TemplateError('empty separator');
  const parts = text.split(by);
  if (most < 0 || parts.length <= most + 1) return parts;
  return fromRight
    ? [parts.slice(0, parts.length - most).join(by), ...parts.slice(parts.length - most)]
    : [...parts.slice(0, most), parts.slice(most).join(by)];
}

function splitOnSpace(text: string, most: number, fromRight: boolean): string[] {
  const words = [...text.matchAll(word)];
  if (most < 0 || words.length <= most + 1) return words.map((match) => match[0]);
  if (fromRight) {
    const last = words[words.length - most - 1];
    const rest = text.slice(0, (last?.index ?? 0) + (last?.[0].length ?? 0));
    return [rest, ...words.slice(words.length - most).map((match) => match[0])];
  }
  return [...words.slice(0, most).map((match) => match[0]), text.slice(words[most]?.index)];
}

function partition(text: string, call: Arguments, at: number): Value {
  const separator = requireText(call.args[0], 'partition');
  return tuple([text.slice(0, at), separator, text.slice(at + separator.length)]);
}

function replace(text: string, call: Arguments): string {
  const [from, to, limit] = bind('replace', ['old', 'new', 'count'], call);
  const most = limit === undefined || limit === null ? -1 : integerOf(limit, 'count');
  const old = requireText(from, 'replace');
  const replacement = requireText(to, 'replace');
  if (most < 0 && old !== '') return text.replaceAll(old, () => replacement);
  const parts = old === '' ? ['', ...Array.from(text), ''] : text.split(old);
  let result = parts[0] ?? '';
  for (let i = 1; i < parts.length; i++) result += (most < 0 || i <= most ? replacement : old) + (parts[i] ?? '');
  return result;
}

function affix(text: string, call: Arguments, test: (text: string, affix: string) => boolean): boolean {
  const affixes = call.args[0];
  const sliced = call.args.length > 1 ? slicedBy(text, call.args[1], call.args[2]) : text;
  if (affixes instanceof Tuple) return affixes.some((item) => test(sliced, requireText(item, 'affix')));
  return test(sliced, requireText(affixes, 'affix'));
}

function slicedBy(text: string, start: Value | undefined, stop: Value | undefined): string {
  const from = start === undefined || start === null ? undefined : integerOf(start, 'start');
  const to = stop === undefined || stop === null ? undefined : integerOf(stop, 'stop');
  return isWide(text) ? Array.from(text).slice(from, to).join('') : text.slice(from, to);
}

/** A position in UTF-16 units as Python counts it. */
function position(text: string, unit: number): number {
  return unit < 0 ? -1 : lengthOf(text.slice(0, unit));
}

function found(text: string, call: Arguments, last: boolean): number {
  const substring = requireText(call.args[0], 'find');
  const start = call.args[1] === undefined ? 0 : integerOf(call.args[1], 'start');
  const prefix = start > 0 ? slicedBy(text, 0, start).length : 0;
  const rest = text.slice(prefix);
  const at = last ? rest.lastIndexOf(substring) : rest.indexOf(substring);
  return at < 0 ? -1 : position(text, at + prefix);
}

function mustBeFound(at: number): number {
  if (at < 0) throw new TemplateError('substring not found');
  return at;
}

function padded(text: string, call: Arguments, side: 'left' | 'right' | 'both'): string {
  const width = integerOf(call.args[0] ?? 0, 'width');
  const fill = call.args[1] === undefined ? ' ' : requireText(call.args[1], 'fill');
  const missing = Math.min(Math.max(0, width - lengthOf(text)), 100_000);
  if (side === 'left') return fill.repeat(missing) + text;
  if (side === 'right') return text + fill.repeat(missing);
  const left = Math.floor(missing / 2) + (missing & width & 1);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

function every(text: string, pattern: RegExp): boolean {
  return text !== '' && Array.from(text).every((character) => pattern.test(character));
}

function cased(text: string, pattern: RegExp, against: RegExp): boolean {
  return pattern.test(text) && !against.test(text);
}

/** Python's `str.capitalize`. */
export function capitalize(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length).toLowerCase();
}

/** Python's `str` methods that a template may call. */
export const stringMethods = new Map<string, Method>([
  ['capitalize', (self) => capitalize(self)],
  ['casefold', (self) => self.toLowerCase().replaceAll('ß', 'ss')],
  ['center', (self, call) => padded(self, call, 'both')],
  ['count', (self, call) => count(self, requireText(call.args[0], 'count'))],
  ['endswith', (self, call) => affix(self, call, (text, end) => text.endsWith(end))],
  ['find', (self, call) => found(self, call, false)],
  ['format', (self, call) => formatBraces(self, call)],
  ['index', (self, call) => mustBeFound(found(self, call, false))],
  ['isalnum', (self) => every(self, /[\p{L}\p{N}]/u)],
  ['isalpha', (self) => every(self, /\p{L}/u)],
  ['isascii', (self) => !/[\u0080-\uffff]/.test(self)],
  ['isdecimal', (self) => every(self, /\p{Nd}/u)],
  ['isdigit', (self) => every(self, /[\p{Nd}²³¹⁰⁴-⁹₀-₉]/u)],
  ['islower', (self) => cased(self, /\p{Ll}/u, /[\p{Lu}\p{Lt}]/u)],
  ['isnumeric', (self) => every(self, /\p{N}/u)],
  ['isspace', (self) => allSpace.test(self)],
  ['isupper', (self) => cased(self, /\p{Lu}/u, /[\p{Ll}\p{Lt}]/u)],
  ['join', (self, call) => joined(self, call)],
  ['ljust', (self, call) => padded(self, call, 'right')],
  ['lower', (self) => self.toLowerCase()],
  ['lstrip', (self, call) => strip(self, call.args[0], 'left')],
  ['partition', (self, call) => partitioned(self, call, self.indexOf(requireText(call.args[0], 'partition')))],
  ['removeprefix', (self, call) => removed(self, requireText(call.args[0], 'removeprefix'), 'prefix')],
  ['removesuffix', (self, call) => removed(self, requireText(call.args[0], 'removesuffix'), 'suffix')],
  ['replace', (self, call) => replace(self, call)],
  ['rfind', (self, call) => found(self, call, true)],
  ['rindex', (self, call) => mustBeFound(found(self, call, true))],
  ['rjust', (self, call) => padded(self, call, 'left')],
  ['rpartition', (self, call) => rpartitioned(self, call)],
  ['rsplit', (self, call) => split(self, call, true)],
  ['rstrip', (self, call) => strip(self, call.args[0], 'right')],
  ['split', (self, call) => split(self, call, false)],
  ['splitlines', (self, call) => lines(self, call)],
  ['startswith', (self, call) => affix(self, call, (text, start) => text.startsWith(start))],
  ['strip', (self, call) => strip(self, call.args[0])],
  [
    'swapcase',
    (self) =>
      Array.from(self)
        .map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()))
        .join(''),
  ],
  ['title', (self) => self.replace(/\p{L}+/gu, capitalize)],
  ['upper', (self) => self.toUpperCase()],
  ['zfill', (self, call) => zeroFilled(self, integerOf(call.args[0] ?? 0, 'width'))],
]);

function count(text: string, substring: string): number {
  return substring === '' ? lengthOf(text) + 1 : text.split(substring).length - 1;
}

function joined(separator: string, call: Arguments): string {
  return itemsOf(call.args[0] ?? null)
    .map((item, index) => {
      if (typeof item === 'string') return item;
      throw new TemplateError(`sequence item ${index}: expected str instance, ${typeName(item)} found`);
    })
    .join(separator);
}

function partitioned(text: string, call: Arguments, at: number): Value {
  return at < 0 ? tuple([text, '', '']) : partition(text, call, at);
}

function rpartitioned(text: string, call: Arguments): Value {
  const at = text.lastIndexOf(requireText(call.args[0], 'rpartition'));
  return at < 0 ? tuple(['', '', text]) : partition(text, call, at);
}

function removed(text: string, part: string, where: 'prefix' | 'suffix'): string {
  if (part === '') return text;
  if (where === 'prefix') return text.startsWith(part) ? text.slice(part.length) : text;
  return text.endsWith(part) ? text.slice(0, -part.length) : text;
}

function lines(text: string, call: Arguments): Value[] {
  const keep = call.args[0] === true || call.named.get('keepends') === true;
  const result: Value[] = [];
  let start = 0;
  for (const match of text.matchAll(lineEnd)) {
    result.push(text.slice(start, keep ? match.index + match[0].length : match.index));
    start = match.index + match[0].length;
  }
  if (start < text.length) result.push(text.slice(start));
  return result;
}

function zeroFilled(text: string, width: number): string {
  const sign = /^[+-]/.test(text) ? text.slice(0, 1) : '';
  const missing = Math.min(Math.max(0, width - lengthOf(text)), 100_000);
  return sign + '0'.repeat(missing) + textOf(text.slice(sign.length));
}
