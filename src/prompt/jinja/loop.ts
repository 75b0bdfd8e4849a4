import { Callable, equal, Namespace, orElse, TemplateError, Undefined, type Value } from './values.ts';

/** The value of `loop` in one loop, for each of its iterations. */
export function loopState(items: Value[]): (index: number) => Namespace {
  let last: Value[] | undefined;
  const changed = new Callable((args) => {
    const same = last !== undefined && equal(last, args);
    last = args;
    return !same;
  });
  const attributes = (index: number): Map<string, Value> => {
    const cycle = new Callable((args) => {
      const value = args[index % Math.max(1, args.length)];
      if (value === undefined) throw new TemplateError('no items for cycling given');
      return value;
    });
    return new Map<string, Value>([
      ['index', index + 1],
      ['index0', index],
      ['revindex', items.length - index],
      ['revindex0', items.length - index - 1],
      ['first', index === 0],
      ['last', index === items.length - 1],
      ['length', items.length],
      ['previtem', orElse(items[index - 1], new Undefined('there is no previous item'))],
      ['nextitem', orElse(items[index + 1], new Undefined('there is no next item'))],
      ['cycle', cycle],
      ['changed', changed],
      ['depth', 1],
      ['depth0', 0],
    ]);
  };
  const quick = (name: string, index: number): Value | undefined => {
    switch (name) {
      case 'first':
        return index === 0;
      case 'last':
        return index === items.length - 1;
      case 'index':
        return index + 1;
      case 'index0':
        return index;
      default:
        return undefined;
    }
  };
  return (index) =>
    new Namespace(
      () => attributes(index),
      (name) => quick(name, index),
    );
}
