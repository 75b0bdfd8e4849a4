import type { Arguments } from './arguments.ts';
import { stringMethods } from './string-methods.ts';
import { textOf } from './text.ts';
import {
  Callable,
  equal,
  isWide,
  Namespace,
  orElse,
  PyFloat,
  requireDefined,
  TemplateError,
  tuple,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

type DictMethod = (self: Map<Value, Value>, call: Arguments) => Value;
type ListMethod = (self: Value[], call: Arguments) => Value;

const dictMethods = new Map<string, DictMethod>([
  ['copy', (self) => new Map(self)],
  ['get', (self, { args }) => orElse(self.get(orElse(args[0], null)), orElse(args[1], null))],
  ['items', (self) => Array.from(self).map(([key, value]) => tuple([key, value]))],
  ['keys', (self) => [...self.keys()]],
  ['values', (self) => [...self.values()]],
]);

const listMethods = new Map<string, ListMethod>([
  ['copy', (self) => [...self]],
  ['count', (self, { args }) => self.filter((member) => equal(member, args[0] ?? null)).length],
  ['index', (self, { args }) => indexIn(self, args[0] ?? null)],
]);

// Python's sandbox for chat templates forbids what would change a list or dictionary.
const mutating: Record<string, ReadonlySet<string>> = {
  dict: new Set(['clear', 'pop', 'popitem', 'setdefault', 'update']),
  list: new Set(['append', 'clear', 'extend', 'insert', 'pop', 'remove', 'reverse', 'sort']),
};

function indexIn(list: Value[], item: Value): number {
  const at = list.findIndex((member) => equal(member, item));
  if (at < 0) throw new TemplateError('the item is not in the list');
  return at;
}

/** `value.name`: a method first, then a key, as Jinja does it. */
export function attribute(value: Value, name: string): Value {
  requireDefined(value);
  const found = value instanceof Namespace ? value.get(name) : (method(value, name) ?? keyOf(value, name));
  return found === undefined ? missing(value, name) : found;
}

/** `value[key]`: a key or position first, then a method. */
export function item(value: Value, key: Value): Value {
  requireDefined(value);
  if (value instanceof Map) {
    const found = value.get(key instanceof PyFloat ? key.value : key);
    if (found !== undefined) return found;
  } else if (typeof key === 'number' || typeof key === 'boolean') {
    const at = Number(key);
    if (Array.isArray(value)) {
      const found = value.at(at);
      return found === undefined ? missing(value, String(at)) : found;
    }
    if (typeof value === 'string')
      return (isWide(value) ? Array.from(value) : value).at(at) ?? missing(value, String(at));
  }
  if (typeof key === 'string') {
    const found = value instanceof Namespace ? value.get(key) : method(value, key);
    return found === undefined ? missing(value, key) : found;
  }
  return missing(value, textOf(key));
}

function keyOf(value: Value, name: string): Value | undefined {
  return value instanceof Map ? value.get(name) : undefined;
}

function method(value: Value, name: string): Value | undefined {
  if (typeof value === 'string') {
    const found = stringMethods.get(name);
    return found && new Callable((args, named) => found(value, { args, named }));
  }
  if (value instanceof Map) {
    const found = dictMethods.get(name);
    if (found) return new Callable((args, named) => found(value, { args, named }));
    return mutating['dict']?.has(name) ? forbidden(value, name) : undefined;
  }
  if (Array.isArray(value)) {
    const found = listMethods.get(name);
    if (found) return new Callable((args, named) => found(value, { args, named }));
    return mutating['list']?.has(name) ? forbidden(value, name) : undefined;
  }
  return undefined;
}

function forbidden(value: Value, name: string): Undefined {
  return new Undefined(`access to attribute '${name}' of '${typeName(value)}' object is unsafe.`);
}

function missing(value: Value, name: string): Undefined {
  if (value === null) return new Undefined(`'None' has no attribute '${name}'`);
  const kind = typeName(value);
  if (Array.isArray(value) && /^-?\d+$/.test(name)) return new Undefined(`list object has no element ${name}`);
  return new Undefined(`'${kind} object' has no attribute '${name}'`);
}
