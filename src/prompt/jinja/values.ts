/** A value as a template sees it: Python's kinds, because chat templates are written for Python. */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | PyFloat
  | Undefined
  | Value[]
  | Map<Value, Value>
  | Namespace
  | Callable;

/** Why a template could not be rendered; the text is the template's own where it raised. */
export class TemplateError extends Error {
  readonly kind: 'raised' | 'invalid' | 'limit';

  constructor(message: string, kind: 'raised' | 'invalid' | 'limit' = 'invalid') {
    super(message);
    this.name = 'TemplateError';
    this.kind = kind;
  }
}

/** A Python float: `1.0` must not turn into `1`. Integers are plain numbers, or bigints past 2^53. */
export class PyFloat {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** What a missing name or attribute gives. Printing it gives nothing, using it is an error with this text. */
export class Undefined {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** A tuple: a list that prints with parentheses. */
export class Tuple extends Array<Value> {
  // What `map` and `filter` make of a tuple is a list.
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

/** A tuple of these items. */
export function tuple(items: readonly Value[]): Tuple {
  const made = new Tuple();
  for (const item of items) made.push(item);
  return made;
}

/** What `namespace()` and `loop` are: attributes, of which templates may set those of a namespace. */
export class Namespace {
  private made: Map<string, Value> | undefined;
  private readonly make: () => Map<string, Value>;
  private readonly quick: ((name: string) => Value | undefined) | undefined;

  /** The function that makes the attributes is called at the first access to one that `quick` does not return. */
  constructor(make: () => Map<string, Value>, quick?: (name: string) => Value | undefined) {
    this.make = make;
    this.quick = quick;
  }

  get(name: string): Value | undefined {
    const value = this.made === undefined ? this.quick?.(name) : undefined;
    return value === undefined ? this.attributes.get(name) : value;
  }

  get attributes(): Map<string, Value> {
    this.made ??= this.make();
    return this.made;
  }
}

/** A function, macro or bound method. */
export class Callable {
  readonly call: (args: Value[], named: Map<string, Value>) => Value;
  constructor(call: (args: Value[], named: Map<string, Value>) => Value) {
    this.call = call;
  }
}

/** A value, or another one where it is missing; unlike `??` it keeps none, which is a value to Python. */
export function orElse(value: Value | undefined, fallback: Value): Value {
  return value === undefined ? fallback : value;
}

/** A value of JSON (or of a request) as a template value. */
export function toValue(input: unknown): Value {
  if (input === null || typeof input === 'string' || typeof input === 'boolean' || typeof input === 'bigint')
    return input;
  if (typeof input === 'number') {
    if (!Number.isInteger(input)) return new PyFloat(input);
    return Number.isSafeInteger(input) ? input : BigInt(input);
  }
  if (Array.isArray(input)) return input.map(toValue);
  if (input instanceof PyFloat) return input;
  if (input instanceof Map) {
    const copy = new Map<Value, Value>();
    for (const [key, value] of input) copy.set(toValue(key), toValue(value));
    return copy;
  }
  if (typeof input === 'object') {
    const dict = new Map<Value, Value>();
    for (const [key, value] of Object.entries(input)) if (value !== undefined) dict.set(key, toValue(value));
    return dict;
  }
  return new Undefined('a value is undefined');
}

/** Python's name of a value's type, for messages. */
export function typeName(value: Value): string {
  if (value === null) return 'NoneType';
  if (value instanceof PyFloat) return 'float';
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof Map) return 'dict';
  if (value instanceof Tuple) return 'tuple';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Namespace) return 'Namespace';
  if (value instanceof Callable) return 'function';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'str' : 'int';
}

/** Python's truth of a value. */
export function truthy(value: Value): boolean {
  if (value === null || value instanceof Undefined) return false;
  if (value instanceof PyFloat) return value.value !== 0;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map) return value.size > 0;
  return typeof value === 'object' ? true : Boolean(value);
}

/** The number that a value is in arithmetic, booleans included; undefined where it is none. */
export function numberOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'bigint') return Number(value);
  return value instanceof PyFloat ? value.value : undefined;
}

/** A value that must be an integer, such as an index. */
export function integerOf(value: Value, what: string): number {
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return Number(value);
  throw new TemplateError(`${what} must be an integer, not ${typeName(value)}`);
}

/** Python's `==`: by value, through lists and dictionaries. */
export function equal(left: Value, right: Value): boolean {
  if (left === right) return true;
  if (left instanceof Undefined) return right instanceof Undefined;
  const a = numberOf(left);
  const b = numberOf(right);
  if (a !== undefined && b !== undefined) return a === b;
  if (Array.isArray(left) && Array.isArray(right)) {
    if (left.length !== right.length || left instanceof Tuple !== right instanceof Tuple) return false;
    return left.every((item, index) => equal(item, orElse(right[index], null)));
  }
  if (left instanceof Map && right instanceof Map) {
    if (left.size !== right.size) return false;
    for (const [key, value] of left) if (!right.has(key) || !equal(value, orElse(right.get(key), null))) return false;
    return true;
  }
  return false;
}

/** Python's order of two values: negative, zero or positive. Throws where Python has none. */
export function compare(left: Value, right: Value): number {
  const a = numberOf(left);
  const b = numberOf(right);
  if (a !== undefined && b !== undefined) return a - b;
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  if (Array.isArray(left) && Array.isArray(right)) {
    for (let i = 0; i < Math.min(left.length, right.length); i++) {
      const mine = orElse(left[i], null);
      const theirs = orElse(right[i], null);
      if (!equal(mine, theirs)) return compare(mine, theirs);
    }
    return left.length - right.length;
  }
  requireDefined(left);
  requireDefined(right);
  throw new TemplateError(`'<' not supported between instances of '${typeName(left)}' and '${typeName(right)}'`);
}

/** The order of two texts by code points, as Python has it (JavaScript orders by UTF-16 units). */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0;
  const a = Array.from(left);
  const b = Array.from(right);
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i]?.codePointAt(0) ?? 0) - (b[i]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Throws the reason when a value is undefined. */
export function requireDefined(value: Value): void {
  if (value instanceof Undefined) throw new TemplateError(value.reason);
}

/** The items that a loop over a value sees: characters of a text, keys of a dictionary, nothing of undefined. */
export function itemsOf(value: Value): Value[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return Array.from(value);
  if (value instanceof Map) return [...value.keys()];
  if (value instanceof Undefined) return [];
  throw new TemplateError(`'${typeName(value)}' object is not iterable`);
}

/** Whether a text holds characters outside the basic plane, where UTF-16 units and Python's positions part. */
export function isWide(text: string): boolean {
  return /[\ud800-\udbff]/.test(text);
}

/** Python's `len()`. */
export function lengthOf(value: Value): number {
  if (typeof value === 'string') return isWide(value) ? Array.from(value).length : value.length;
  if (value instanceof Map) return value.size;
  if (Array.isArray(value)) return value.length;
  if (value instanceof Undefined) return 0;
  throw new TemplateError(`object of type '${typeName(value)}' has no len()`);
}

/** Python's `in`. */
export function contains(container: Value, item: Value): boolean {
  if (container instanceof Undefined) return false;
  if (typeof container === 'string') {
    requireDefined(item);
    if (typeof item === 'string') return container.includes(item);
    throw new TemplateError(`'in <string>' requires string as left operand, not ${typeName(item)}`);
  }
  if (container instanceof Map) return container.has(item);
  if (Array.isArray(container)) return container.some((member) => equal(member, item));
  throw new TemplateError(`argument of type '${typeName(container)}' is not iterable`);
}
