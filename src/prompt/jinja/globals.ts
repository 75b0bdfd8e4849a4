import { Scope } from './scope.ts';
import { strftime } from './strftime.ts';
import { textOf } from './text.ts';
import { Callable, integerOf, itemsOf, Namespace, TemplateError, toValue, type Value } from './values.ts';

// The bound of Python's sandbox.
const longestRange = 100_000;

/** The names that every template has, and the values of this rendering, which override them. */
export function globalScope(variables: Readonly<Record<string, unknown>>, now: Date): Scope {
  const scope = new Scope(constantScope);
  scope.set('strftime_now', new Callable((args) => strftime(now, textOf(args[0] ?? ''))));
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) scope.set(name, toValue(value));
  return scope;
}

const constants: Record<string, Value> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  dict: new Callable((args, named) => new Map([...pairsOf(args[0]), ...named])),
  namespace: new Callable((args, named) => {
    const attributes = namesOf([...pairsOf(args[0]), ...named]);
    return new Namespace(() => attributes);
  }),
  raise_exception: new Callable((args) => {
    throw new TemplateError(textOf(args[0] ?? ''), 'raised');
  }),
  range: new Callable((args) => range(args)),
};

/** Shared by all renderings: what a template sets, it sets in a scope of its own. */
const constantScope = new Scope();
for (const [name, value] of Object.entries(constants)) constantScope.set(name, value);

function pairsOf(source: Value | undefined): [Value, Value][] {
  if (source === undefined) return [];
  if (source instanceof Map) return [...source];
  return itemsOf(source).map((pair) => {
    const [key, value] = itemsOf(pair);
    if (key === undefined || value === undefined) throw new TemplateError('pairs of a key and a value are expected');
    return [key, value];
  });
}

function namesOf(pairs: [Value, Value][]): Map<string, Value> {
  return new Map(pairs.map(([key, value]) => [textOf(key), value]));
}

function range(args: Value[]): Value[] {
  const [first = null, second, third] = args;
  const start = second === undefined ? 0 : integerOf(first, 'start');
  const stop = integerOf(second ?? first, 'stop');
  const step = third === undefined ? 1 : integerOf(third, 'step');
  if (step === 0) throw new TemplateError('range() arg 3 must not be zero');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > longestRange) throw new TemplateError(`Range too big. The longest is ${longestRange}.`, 'limit');
  return Array.from({ length }, (_, index) => start + index * step);
}
