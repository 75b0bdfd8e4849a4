import { type ApplyFilter, type Arguments, bind, type Filter } from './arguments.ts';
import { item } from './attributes.ts';
import { binary } from './operators.ts';
import { passes } from './tests.ts';
import { textOf } from './text.ts';
import {
  compare,
  compareStrings,
  equal,
  integerOf,
  itemsOf,
  orElse,
  requireDefined,
  TemplateError,
  truthy,
  tuple,
  Undefined,
  type Value,
} from './values.ts';

/** The filters of lists and dictionaries. */
export const sequenceFilters = new Map<string, Filter>([
  ['batch', (value, call) => batches(value, call)],
  ['dictsort', (value, call) => sortedPairs(value, call)],
  ['first', (value) => orElse(itemsOf(value)[0], new Undefined('No first item, sequence was empty.'))],
  ['groupby', (value, call) => grouped(value, call)],
  ['items', (value) => pairs(value)],
  ['join', (value, call) => joined(value, call)],
  ['last', (value) => orElse(itemsOf(value).at(-1), new Undefined('No last item, sequence was empty.'))],
  ['list', (value) => [...itemsOf(value)]],
  ['map', (value, call, apply) => mapped(value, call, apply)],
  ['max', (value, call) => extreme(value, call, 1)],
  ['min', (value, call) => extreme(value, call, -1)],
  ['reject', (value, call) => itemsOf(value).filter((entry) => !tested(entry, call.args))],
  ['rejectattr', (value, call) => itemsOf(value).filter((entry) => !testedAttribute(entry, call.args))],
  [
    'reverse',
    (value) => (typeof value === 'string' ? Array.from(value).toReversed().join('') : itemsOf(value).toReversed()),
  ],
  ['select', (value, call) => itemsOf(value).filter((entry) => tested(entry, call.args))],
  ['selectattr', (value, call) => itemsOf(value).filter((entry) => testedAttribute(entry, call.args))],
  ['sort', (value, call) => sorted(value, call)],
  ['sum', (value, call) => summed(value, call)],
  ['unique', (value, call) => distinct(value, call)],
]);

function pairs(value: Value): Value[] {
  if (value instanceof Undefined) return [];
  if (value instanceof Map) return Array.from(value, ([name, entry]) => tuple([name, entry]));
  throw new TemplateError('Can only get item pairs from a mapping.');
}

/** A value's attribute by a path such as `function.name` or `0`. */
function byPath(value: Value, path: Value): Value {
  if (typeof path === 'number') return item(value, path);
  let current = value;
  for (const part of textOf(path).split('.')) current = item(current, /^\d+$/.test(part) ? Number(part) : part);
  return current;
}

function key(path: Value | undefined, caseSensitive = true): (value: Value) => Value {
  return (value) => {
    const found = path === undefined || path === null ? value : byPath(value, path);
    return !caseSensitive && typeof found === 'string' ? found.toLowerCase() : found;
  };
}

function tested(value: Value, args: Value[]): boolean {
  const [name, ...rest] = args;
  return name === undefined ? truthy(value) : passes(textOf(name), value, rest);
}

function testedAttribute(value: Value, args: Value[]): boolean {
  const [path, ...rest] = args;
  if (path === undefined) throw new TemplateError('Missing parameter for attribute name');
  return tested(byPath(value, path), rest);
}

function mapped(value: Value, call: Arguments, apply: ApplyFilter): Value[] {
  const items = itemsOf(value);
  const path = call.named.get('attribute');
  if (path !== undefined) {
    const fallback = call.named.get('default');
    return items.map((entry) => {
      const found = byPath(entry, path);
      return found instanceof Undefined && fallback !== undefined ? fallback : found;
    });
  }
  const [name, ...args] = call.args;
  if (name === undefined) throw new TemplateError('map requires a filter argument');
  return items.map((entry) => apply(textOf(name), entry, { args, named: call.named }));
}

function joined(value: Value, call: Arguments): string {
  const [separator, path] = bind('join', ['d', 'attribute'], call);
  return itemsOf(value)
    .map((entry) => textOf(path === undefined || path === null ? entry : byPath(entry, path)))
    .join(textOf(separator ?? ''));
}

function sorted(value: Value, call: Arguments): Value[] {
  const [reverse, caseSensitive, path] = bind('sort', ['reverse', 'case_sensitive', 'attribute'], call);
  const by = key(path, truthy(caseSensitive ?? false));
  const direction = truthy(reverse ?? false) ? -1 : 1;
  return itemsOf(value).toSorted((a, b) => direction * compare(by(a), by(b)));
}

function sortedPairs(value: Value, call: Arguments): Value[] {
  const [caseSensitive, by, reverse] = bind('dictsort', ['case_sensitive', 'by', 'reverse'], call);
  const index = by === 'value' ? 1 : 0;
  const pick = key(index, truthy(caseSensitive ?? false));
  const direction = truthy(reverse ?? false) ? -1 : 1;
  return pairs(value).toSorted((a, b) => direction * compare(pick(a), pick(b)));
}

function extreme(value: Value, call: Arguments, direction: number): Value {
  const [caseSensitive, path] = bind('max', ['case_sensitive', 'attribute'], call);
  const by = key(path, truthy(caseSensitive ?? false));
  const [first, ...rest] = itemsOf(value);
  if (first === undefined) return new Undefined('No aggregated item, sequence was empty.');
  return rest.reduce((best, entry) => (direction * compare(by(entry), by(best)) > 0 ? entry : best), first);
}

function summed(value: Value, call: Arguments): Value {
  const [path, start] = bind('sum', ['attribute', 'start'], call);
  return itemsOf(value).reduce((total, entry) => binary('+', total, key(path)(entry)), start ?? 0);
}

function distinct(value: Value, call: Arguments): Value[] {
  const [caseSensitive, path] = bind('unique', ['case_sensitive', 'attribute'], call);
  const by = key(path, truthy(caseSensitive ?? false));
  const seen = new Set<Value>();
  const large: Value[] = [];
  return itemsOf(value).filter((entry) => {
    const mark = by(entry);
    if (mark !== null && typeof mark === 'object') {
      if (large.some((other) => equal(other, mark))) return false;
      large.push(mark);
    } else if (seen.has(mark)) return false;
    seen.add(mark);
    return true;
  });
}

function batches(value: Value, call: Arguments): Value[] {
  const [count, fill] = bind('batch', ['linecount', 'fill_with'], call);
  const size = integerOf(count ?? null, 'linecount');
  if (size < 1) throw new TemplateError('batch needs a positive number');
  const items = itemsOf(value);
  const result: Value[][] = [];
  for (let at = 0; at < items.length; at += size) result.push(items.slice(at, at + size));
  const last = result.at(-1);
  if (last !== undefined && fill !== undefined && fill !== null) {
    last.push(...Array.from({ length: size - last.length }, () => fill));
  }
  return result;
}

function grouped(value: Value, call: Arguments): Value[] {
  const [path, fallback] = bind('groupby', ['attribute', 'default'], call);
  const groups: { mark: Value; items: Value[] }[] = [];
  for (const entry of itemsOf(value)) {
    const found = byPath(entry, path ?? null);
    const mark = found instanceof Undefined && fallback !== undefined ? fallback : found;
    requireDefined(mark);
    const group = groups.find((other) => sameGroup(other.mark, mark));
    if (group) group.items.push(entry);
    else groups.push({ mark, items: [entry] });
  }
  groups.sort((a, b) => orderOf(a.mark, b.mark));
  return groups.map((group) => tuple([group.mark, group.items]));
}

function sameGroup(a: Value, b: Value): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a.toLowerCase() === b.toLowerCase();
  return equal(a, b);
}

function orderOf(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a.toLowerCase(), b.toLowerCase());
  return compare(a, b);
}
